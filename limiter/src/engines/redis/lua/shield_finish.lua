-- Keeps an answer under its idempotency key, for whoever still has the lease.
--
-- KEYS   1 the record
-- ARGV   1 fingerprint of the question  2 token  3 answer  4 how long it is kept, in milliseconds
-- Reply  1, or 0 when the lease is another's or has ended

local record = KEYS[1]
local fingerprint = ARGV[1]
local token = ARGV[2]
local answer = ARGV[3]
local keep_ms = tonumber(ARGV[4])

if redis.call('GET', record) ~= 'r' .. fingerprint .. token then
  return 0
end
redis.call('PSETEX', record, keep_ms, 'k' .. fingerprint .. answer)
return 1
