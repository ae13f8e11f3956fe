-- Raises quotas to what is known to be used of a period, where that is the running one. Never
-- lowers, and leaves alone what counts for another period that has not ended.
--
-- KEYS   the quotas' counters
-- ARGV   for each "algorithm,shadow,counted key used 0 start stop 0"
-- Reply  1

local now = clock_now()
for index = 1, #KEYS do
  local limit = limit_parse(ARGV[index])
  local start, stop, used = limit.b, limit.c, limit.cost
  if start <= now and now < stop then
    local cell = cell_open(limit.algorithm, KEYS[limit.key])
    local known = cell.stored
    local counts = known and now < known[2]
    if not counts or (known[1] == start and known[3] < used) then
      -- A period that runs ends as it was announced.
      if counts then stop = known[2] end
      cell_store(cell, limit, { start, stop, used })
      cell_save(cell, now)
    end
  end
end
return 1
