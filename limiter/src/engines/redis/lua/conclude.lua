-- Ends what was begun with a check's global limits, now that its tenant's slot has spoken: gives
-- back what the check must not keep, and strikes the penalties that had to wait.
--
-- KEYS   each limit's counter, or the mark of its penalty
-- ARGV   1 "charged_at backs strikes", then each limit "algorithm,shadow,counted key cost a b c d":
--        first those to give back, then those to strike, with " pkey block_us growth max_us"
-- Reply  the numbers of each limit that was given back, as it is now; until when each that was
--        struck is blocked

local charged_at, backs, strikes = string.match(ARGV[1], '^(%d+) (%d+) (%d+)$')
local now, reply, writes = clock_now(), {}, {}

for index = 1, backs do
  local limit = limit_parse(ARGV[index + 1])
  local state = give_back(limit, tonumber(charged_at), now)
  state_read(reply, #reply, state, limit, limit.cost, now)
end

for index = 1, strikes do
  local limit = limit_parse(ARGV[backs + index + 1])
  local key, block_us, growth, max_us = string.match(limit.more, '^ p(%d+) (%d+) (%d+) (%d+)$')
  limit.block_us, limit.growth = tonumber(block_us), tonumber(growth)
  limit.block_max_us = tonumber(max_us)
  penalty_open(limit, KEYS[tonumber(key)], now)
  if limit.blocked_until == 0 then penalty_strike(limit, now, writes) end
  reply[#reply + 1] = limit.blocked_until
end

for index = 1, #writes do writes[index]() end
return reply
