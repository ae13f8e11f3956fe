-- Begins to answer a request under its idempotency key, unless somebody did. A record is `r`, the
-- fingerprint and who runs; or `k`, the fingerprint and the answer that is kept.
--
-- KEYS   1 the record
-- ARGV   1 fingerprint of the question  2 token of who begins  3 lease in milliseconds
-- Reply  {0} begun; {1, left} another runs, its lease in milliseconds; {2, answer} kept;
--        {3} the key was used for another question

local record = KEYS[1]
local fingerprint = ARGV[1]
local token = ARGV[2]
local lease_ms = tonumber(ARGV[3])

local found = redis.call('GET', record)
if not found then
  redis.call('PSETEX', record, lease_ms, 'r' .. fingerprint .. token)
  return {0}
end
if string.sub(found, 2, #fingerprint + 1) ~= fingerprint then
  return {3}
end
if string.sub(found, 1, 1) == 'k' then
  return {2, string.sub(found, #fingerprint + 2)}
end
return {1, redis.call('PTTL', record)}
