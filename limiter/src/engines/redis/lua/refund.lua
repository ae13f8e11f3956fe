-- Gives back part of a charge, once: never more than is safe, never beyond full, and only within
-- the window that was charged.
--
-- KEYS   the mark that this charge was refunded, then each limit's counter and its holds
-- ARGV   1 "charged_at ttl_ms", then for each limit "algorithm,shadow,counted key cost a b c d" with
--        what to give back
-- Reply  1, or 0 when it was refunded before

local charged_at, ttl_ms = string.match(ARGV[1], '^(%d+) (%d+)$')
if not redis.call('SET', KEYS[1], 1, 'PX', tonumber(ttl_ms), 'NX') then return 0 end

local now = clock_now()
for index = 2, #KEYS, 2 do
  local limit = limit_parse(ARGV[index / 2 + 1])
  local algorithm = limit.algorithm
  local cell, exists = cell_open(algorithm, KEYS[limit.key])
  if exists then
    -- A bucket gives back the time that was charged, at the rate of then; a sliding counter what
    -- has not faded by the window of then.
    local b, c = limit.b, limit.c
    limit_in_force(limit, cell)
    if cell.held > 0 then holds_expire(cell, limit, KEYS[index + 1], now) end
    if algorithm.as_charged then limit.b, limit.c = b, c end
    local state = algorithm.refund(cell.stored, limit, limit.cost, tonumber(charged_at), now)
    state.header_changed = true
    cell_store(cell, limit, state)
    cell_save(cell, now)
  end
end
return 1
