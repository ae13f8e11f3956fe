-- A cell is the counter of one limit in this call: read once, changed in memory, written once at
-- the end. So a batch sees what it did before, and nothing is written before all is decided.
-- A value that begins with "h" carries what open reservations hold of it (24 bytes) in front.

local function limit_parse(text)
  local algorithm, shadow, counted, key, cost, a, b, c, d, more =
    string.match(text, '^(%d)(%d)(%d) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)(.*)')
  return {
    algorithm = algorithms[algorithm], enforced = shadow == '0', counted = counted == '1',
    key = tonumber(key), cost = tonumber(cost),
    a = tonumber(a), b = tonumber(b), c = tonumber(c), d = tonumber(d), more = more,
  }
end

local function cell_open(limit)
  local algorithm = limit.algorithm
  local cell = { key = KEYS[limit.key], held = 0, held_next = 0, held_last = 0 }
  if algorithm.open then
    local state = algorithm.open(cell.key)
    cell.stored, cell.exists = state, state.exists
    cell.held, cell.held_next = state.held or 0, state.held_next or 0
    cell.held_last = state.held_last or 0
    return cell
  end
  local value = redis.call('GET', cell.key)
  if value then
    cell.exists = true
    if string.byte(value) == 104 then
      cell.held, cell.held_next, cell.held_last = struct.unpack('>ddd', value, 2)
      value = string.sub(value, 26)
    end
    cell.stored = algorithm.decode(value)
  end
  return cell
end

-- Whether the window that the holds were made in is over.
local function cell_rolled(cell, limit, state)
  return limit.algorithm.windowed and cell.stored and cell.stored.start ~= state.start
end

local function cell_store(cell, limit, state)
  if cell_rolled(cell, limit, state) then cell.held, cell.held_next, cell.held_last = 0, 0, 0 end
  cell.stored, cell.limit = state, limit
end

local function cell_ttl_ms(cell, now)
  local limit, state = cell.limit, cell.stored
  local algorithm = limit.algorithm
  local expires_at = algorithm.expires_at(state, limit, now)
  -- A hold may be charged as late as it expires, and counts from then on.
  if cell.held > 0 and algorithm.recovery_us then
    expires_at = math.max(expires_at, cell.held_last + algorithm.recovery_us(limit))
  end
  return clock_ttl_ms(expires_at, now)
end

local function cell_save(cell, now)
  local limit, state = cell.limit, cell.stored
  local algorithm, ttl_ms = limit.algorithm, cell_ttl_ms(cell, now)
  if algorithm.save then
    if cell.held > 0 or (state.held or 0) > 0 then
      state.held, state.held_next, state.held_last = cell.held, cell.held_next, cell.held_last
      state.header_changed = true
    end
    return algorithm.save(state, limit, now, ttl_ms)
  end
  local value = algorithm.encode(state, limit)
  if cell.held > 0 then
    if type(value) == 'number' then value = string.format('%.0f', value) end
    value = 'h' .. struct.pack('>ddd', cell.held, cell.held_next, cell.held_last) .. value
  end
  redis.call('PSETEX', cell.key, ttl_ms, value)
end
