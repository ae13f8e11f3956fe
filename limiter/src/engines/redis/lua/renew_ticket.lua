-- Holds a ticket's slots for another while.
--
-- KEYS   the sets of slots it is in
-- ARGV   1 ticket id, then for each set the microseconds to hold it from now
-- Reply  until when it holds all that it still held, or 0 when it held none that had not expired

local ticket = ARGV[1]
local now = clock_now()
local renewed = 0
for index, key in ipairs(KEYS) do
  local expires_at = redis.call('ZSCORE', key, ticket)
  if expires_at and tonumber(expires_at) > now then
    local until_us = now + tonumber(ARGV[index + 1])
    if renewed == 0 or until_us < renewed then renewed = until_us end
    redis.call('ZADD', key, until_us, ticket)
    local ttl_ms = clock_ttl_ms(until_us, now)
    if redis.call('PTTL', key) < ttl_ms then redis.call('PEXPIRE', key, ttl_ms) end
  end
end
return renewed
