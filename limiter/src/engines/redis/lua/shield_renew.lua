-- Prolongs the lease of whoever answers a request under its idempotency key.
--
-- KEYS   1 the record
-- ARGV   1 token  2 lease in milliseconds, 0 to give it up
-- Reply  1, or 0 when the lease is another's or has ended

local record = KEYS[1]
local token = ARGV[1]
local lease_ms = tonumber(ARGV[2])

if redis.call('HGET', record, 'token') ~= token then
  return 0
end
if lease_ms == 0 then
  redis.call('DEL', record)
else
  redis.call('PEXPIRE', record, lease_ms)
end
return 1
