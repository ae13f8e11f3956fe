-- Prolongs the lease of whoever answers a request under its idempotency key, or gives it up.
--
-- KEYS   1 the record
-- ARGV   1 fingerprint of the question  2 token  3 lease in milliseconds, 0 to give it up
-- Reply  1, or 0 when the lease is another's or has ended

local record = KEYS[1]
local fingerprint = ARGV[1]
local token = ARGV[2]
local lease_ms = tonumber(ARGV[3])

if redis.call('GET', record) ~= 'r' .. fingerprint .. token then
  return 0
end
if lease_ms == 0 then
  redis.call('UNLINK', record)
else
  redis.call('PEXPIRE', record, lease_ms)
end
return 1
