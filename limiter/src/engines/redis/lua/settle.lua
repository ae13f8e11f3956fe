-- Charges the real cost of a reservation, once: what was held is freed, more becomes debt, and
-- what comes after the holds have expired is charged all the same. Told again, it says what it did.
--
-- KEYS   the reservation's record, then for each of its limits the counter and its holds
-- ARGV   1 "id limits cost,cost,…" with the real costs, then for each limit
--        "algorithm,shadow,counted key cost a b c d" with its real cost, and the cost reserved
-- Reply  -1 no such reservation; else 1, or 0 when it was settled before, now, late, the costs that
--        it was settled with, and for each limit 1 a b c and the algorithm's numbers, or 0 where its
--        window is over or nothing was held

-- Long enough for whoever did not hear the answer to ask again.
local SETTLED_KEPT_MS = 3600000

local id, count, costs = string.match(ARGV[1], '^(%S+) (%d+) (%S*)$')
local record = redis.call('GET', KEYS[1])
if not record then return { -1 } end
local status, keep, windows, expires_at, was_late, was_costs, blob =
  string.match(record, '^(%a+) (%d) (%S*) (%d+) (%d) ([%d,]*)|(.*)$')

local now, first = clock_now(), status == 'open'
local expired = tonumber(expires_at) <= now
local late = expired and 1 or 0
if not first then costs, late = was_costs, tonumber(was_late) end
local next_window = string.gmatch(windows, '[^,]+')
local reply = { first and 1 or 0, now, late, costs }

-- Frees what is held, and charges what was used in the window that it was reserved in.
local function settle(limit, cell, state, current, reserved, window, holds_key)
  local algorithm = limit.algorithm
  local member = holds_member(id, reserved, window, keep)
  local ends_at = redis.call('ZSCORE', holds_key, member)
  local open = ends_at and redis.call('ZREM', holds_key, member) == 1
  if open then
    if cell.stored and window == holds_window(limit, cell.stored) then
      cell.held, cell.limit = math.max(0, cell.held - reserved), limit
    end
    holds_refresh(cell, holds_key)
  end
  if current then
    local charged = 0
    if not open and keep == '1' and expired then charged = reserved end
    if limit.cost >= charged then
      state = algorithm.charge(state, limit, limit.cost - charged, now)
    else
      local as_kept = holds_kept(cell, limit, now)
      if as_kept then
        state = algorithm.refund(state, as_kept, charged - limit.cost, tonumber(expires_at), now)
      end
      state.header_changed = true
    end
    cell_store(cell, limit, state)
  end
  if cell.limit then cell_save(cell, now) end
  return state
end

for index = 1, tonumber(count) do
  local limit = limit_parse(ARGV[2 * index])
  local reserved = tonumber(ARGV[2 * index + 1])
  local window, holds_key = tonumber(next_window()), KEYS[2 * index + 1]
  reply[#reply + 1] = 0
  if window then
    local cell = cell_open(limit.algorithm, KEYS[limit.key])
    limit_in_force(limit, cell)
    if first then holds_expire(cell, limit, holds_key, now) end
    local state = limit.algorithm.load(cell.stored, limit, now)
    local current = window == holds_window(limit, state)
    if first then state = settle(limit, cell, state, current, reserved, window, holds_key) end
    if current then
      reply[#reply] = 1
      reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = limit.a, limit.b, limit.c
      state_read(reply, #reply, state, limit, 0, now)
    end
  end
end

if first then
  local text = string.format('settled %s %s %s %d %s|%s', keep, windows, expires_at, late, costs, blob)
  redis.call('PSETEX', KEYS[1], math.min(redis.call('PTTL', KEYS[1]), SETTLED_KEPT_MS), text)
end
return reply
