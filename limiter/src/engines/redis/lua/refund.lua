-- Gives back part of a charge, once: never more than is safe, never beyond full, and only within
-- the window that was charged.
--
-- KEYS   the mark that this charge was refunded, then each limit's counter
-- ARGV   1 "charged_at ttl_ms", then for each limit "algorithm,shadow,counted key cost a b c d" with
--        what to give back
-- Reply  1, or 0 when it was refunded before

local charged_at, ttl_ms = string.match(ARGV[1], '^(%d+) (%d+)$')
if not redis.call('SET', KEYS[1], 1, 'PX', tonumber(ttl_ms), 'NX') then return 0 end

local now = clock_now()
for index = 2, #KEYS do
  local limit = limit_parse(ARGV[index])
  local algorithm = limit.algorithm
  local cell = cell_open(limit, not algorithm.open and redis.call('GET', KEYS[limit.key]))
  if cell.exists then
    local state = algorithm.load(cell.stored, limit, now)
    state = algorithm.refund(state, limit, limit.cost, tonumber(charged_at), now)
    state.header_changed = true
    cell_store(cell, limit, state)
    cell_save(cell, now)
  end
end
return 1
