-- Raises quotas to what is known to be used of a period, where that is the running one.
--
-- KEYS   the quotas' counters
-- ARGV   for each "algorithm,shadow,counted key used limit start stop next_stop period_start"
-- Reply  1

local now = clock_now()
for index = 1, #KEYS do
  local limit = limit_parse(ARGV[index])
  local cell = cell_open(limit)
  local state = limit.algorithm.load(cell.stored, limit, now)
  local period_start = tonumber(string.match(ARGV[index], ' (%d+)$'))
  local start, stop, used = state[1], state[2], state[3]
  if start == period_start and used < limit.cost then
    state = { start, stop, limit.cost }
    cell_store(cell, limit, state)
    cell_save(cell, now)
  end
end
return 1
