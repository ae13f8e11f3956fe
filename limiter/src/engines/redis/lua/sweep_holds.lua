-- Takes expired holds off counters, as decide asks for: a step of its own, so that a refusal
-- writes nothing.
--
-- KEYS   for each limit the counter and its holds
-- ARGV   for each limit "algorithm,shadow,counted key cost a b c d"
-- Reply  1

local now = clock_now()
for index = 1, #KEYS / 2 do
  local limit = limit_parse(ARGV[index])
  local cell, exists = cell_open(limit.algorithm, KEYS[limit.key])
  if exists then
    -- Whoever looks may do so by numbers that count for less long than those in force.
    cell.lasts = true
    holds_expire(cell, limit, KEYS[2 * index], now)
    -- As it is: to look begins no window, least of all by numbers that another look will not have.
    if not cell.limit then cell_store(cell, limit, cell.stored) end
    cell_save(cell, now)
  end
end
return 1
