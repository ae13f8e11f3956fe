-- Keeps an answer under its idempotency key, for whoever still has the lease.
--
-- KEYS   1 the record
-- ARGV   1 token  2 answer  3 how long it is kept, in milliseconds
-- Reply  1, or 0 when the lease is another's or has ended

local record = KEYS[1]
local token = ARGV[1]
local answer = ARGV[2]
local keep_ms = tonumber(ARGV[3])

if redis.call('HGET', record, 'token') ~= token then
  return 0
end
redis.call('HSET', record, 'answer', answer)
redis.call('HDEL', record, 'token')
redis.call('PEXPIRE', record, keep_ms)
return 1
