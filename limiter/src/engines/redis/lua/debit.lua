-- Charges what was let in elsewhere, once: it may be more than there is, and is debt then.
--
-- KEYS   the mark that this debit was made, then each limit's counter and its holds
-- ARGV   1 "ttl_ms", then for each limit "algorithm,shadow,counted key cost a b c d" with what to
--        charge
-- Reply  1, or 0 when it was made before

if not redis.call('SET', KEYS[1], 1, 'PX', tonumber(ARGV[1]), 'NX') then return 0 end

local now = clock_now()
for index = 2, #KEYS, 2 do
  local limit = limit_parse(ARGV[index / 2 + 1])
  local cell = cell_open(limit.algorithm, KEYS[limit.key])
  limit_in_force(limit, cell)
  if cell.held > 0 then holds_expire(cell, limit, KEYS[index + 1], now) end
  local state = limit.algorithm.load(cell.stored, limit, now)
  state = limit.algorithm.charge(state, limit, limit.cost, now)
  cell_store(cell, limit, state)
  cell_save(cell, now)
end
return 1
