-- Charges the real cost of a reservation, once: what was held is freed, more becomes debt, and
-- what comes after the holds have expired is charged all the same.
--
-- KEYS   the reservation's record, then for each of its limits the counter and its holds
-- ARGV   1 "id limits", then for each limit "algorithm,shadow,counted key cost a b c d" with the
--        real cost, and the cost that was reserved
-- Reply  -1 no such reservation, 0 settled before; else 1 now late, and for each limit 1 and the
--        algorithm's numbers, or 0 where its window is over or nothing was held

local id, count = string.match(ARGV[1], '^(%S+) (%d+)$')
local record = redis.call('GET', KEYS[1])
if not record then return { -1 } end
local keep, windows, kept_at = string.match(record, '^open (%d) (%S*) (%d+)|')
if not keep then return { 0 } end

local now = clock_now()
local next_window = string.gmatch(windows, '[^,]+')
local reply = { 1, now, 0 }
for index = 1, tonumber(count) do
  local limit = limit_parse(ARGV[2 * index])
  local reserved = tonumber(ARGV[2 * index + 1])
  local window, holds_key = next_window(), KEYS[2 * index + 1]
  reply[#reply + 1] = 0
  if window ~= '-' then
    local algorithm = limit.algorithm
    local cell = cell_open(limit)
    holds_expire(cell, limit, holds_key, now)
    local state = algorithm.load(cell.stored, limit, now)
    local current = tonumber(window) == holds_window(limit, state)
    local open =
      redis.call('ZREM', holds_key, holds_member(id, reserved, tonumber(window), keep)) == 1
    if open then
      if cell.stored and tonumber(window) == holds_window(limit, cell.stored) then
        cell.held, cell.limit = math.max(0, cell.held - reserved), limit
      end
      holds_refresh(cell, holds_key)
    else
      reply[3] = 1
    end
    if current then
      local charged = 0
      if not open and keep == '1' then charged = reserved end
      if limit.cost >= charged then
        state = algorithm.charge(state, limit, limit.cost - charged, now)
      else
        state = algorithm.refund(state, limit, charged - limit.cost, tonumber(kept_at), now)
        state.header_changed = true
      end
      cell_store(cell, limit, state)
      reply[#reply] = 1
      state_read(reply, #reply, state, limit, 0, now)
    end
    if cell.limit then cell_save(cell, now) end
  end
end
redis.call('SET', KEYS[1], 'settled' .. string.sub(record, 5), 'KEEPTTL')
return reply
