-- Gives a ticket's slots back.
--
-- KEYS   the sets of slots it is in
-- ARGV   1 ticket id
-- Reply  1, or 0 when it held none that had not expired

local ticket = ARGV[1]
local now = clock_now()
local released = 0
for _, key in ipairs(KEYS) do
  local expires_at = redis.call('ZSCORE', key, ticket)
  if expires_at then
    redis.call('ZREM', key, ticket)
    if tonumber(expires_at) > now then released = 1 end
  end
end
return released
