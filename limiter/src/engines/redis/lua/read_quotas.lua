-- What is used of quotas, for another store to go on from. What open reservations hold counts as
-- used; what has run out is taken off first.
--
-- KEYS   for each quota the counter and its holds
-- ARGV   for each "algorithm,shadow,counted key 0 0 start stop 0"
-- Reply  for each: start, stop, used; zeros where no period runs

local now = clock_now()
local reply = {}
for index = 1, #KEYS / 2 do
  local limit = limit_parse(ARGV[index])
  local cell = cell_open(limit)
  local start, stop, used = 0, 0, 0
  if cell.stored and now < cell.stored[2] then
    if cell.held > 0 and cell.held_next <= now then
      cell.lasts = true
      holds_expire(cell, limit, KEYS[2 * index], now)
      if cell.limit then cell_save(cell, now) end
    end
    start, stop, used = cell.stored[1], cell.stored[2], cell.stored[3] + cell.held
  end
  reply[3 * index - 2], reply[3 * index - 1], reply[3 * index] = start, stop, used
end
return reply
