-- What is used of quotas, for another store to go on from. What reservations hold counts as used, but
-- for those that have run out and are not kept.
--
-- KEYS   for each quota the counter and its holds
-- ARGV   for each "algorithm,shadow,counted key 0 0 start stop 0"
-- Reply  for each: start, stop, used; zeros where no period runs

-- Of what the cell says is held: it is taken off whenever somebody looks next.
local function read_expired(cell, holds_key, now)
  if cell.held == 0 or cell.held_next > now then return 0 end
  local expired = 0
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', holds_key, '-inf', now)) do
    local cost, window, keep = string.match(member, ':(%d+):(%d+):(%d)$')
    if keep == '0' and tonumber(window) == cell.stored[1] then expired = expired + tonumber(cost) end
  end
  return expired
end

local now = clock_now()
local reply = {}
for index = 1, #KEYS / 2 do
  local limit = limit_parse(ARGV[index])
  local cell = cell_open(limit.algorithm, KEYS[limit.key])
  local start, stop, used = 0, 0, 0
  if cell.stored and now < cell.stored[2] then
    start, stop = cell.stored[1], cell.stored[2]
    used = cell.stored[3] + cell.held - read_expired(cell, KEYS[2 * index], now)
  end
  reply[3 * index - 2], reply[3 * index - 1], reply[3 * index] = start, stop, used
end
return reply
