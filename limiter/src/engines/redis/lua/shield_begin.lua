-- Begins to answer a request under its idempotency key, unless somebody did.
--
-- KEYS   1 the record
-- ARGV   1 fingerprint of the question  2 token of who begins  3 lease in milliseconds
-- Reply  {0} begun; {1, left} another runs, its lease in milliseconds; {2, answer} kept;
--        {3} the key was used for another question

local record = KEYS[1]
local fingerprint = ARGV[1]
local token = ARGV[2]
local lease_ms = tonumber(ARGV[3])

local found = redis.call('HMGET', record, 'fingerprint', 'answer')
if not found[1] then
  redis.call('HSET', record, 'fingerprint', fingerprint, 'token', token)
  redis.call('PEXPIRE', record, lease_ms)
  return {0}
end
if found[1] ~= fingerprint then
  return {3}
end
if found[2] then
  return {2, found[2]}
end
return {1, redis.call('PTTL', record)}
