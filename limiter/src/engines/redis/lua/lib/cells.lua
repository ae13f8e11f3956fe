-- A cell is the counter of one limit in this call: read once, changed in memory, written once at
-- the end. So a batch sees what it did before, and nothing is written before all is decided.
-- A value that begins with "h" carries 56 bytes in front: what open reservations hold of it, and the
-- numbers in force when it was last charged or reserved. A settlement comes with those of the time it
-- was reserved, which are no measure for a counter that has been under others since.
-- One that begins with "k" carries 32 more: what was kept of reservations that ran out, see holds.lua.
-- All fields of a table are named when it is made: growing it later costs more than making it.
-- Numbers go to Redis as text: given one, Redis 7.0 itself spells it with all digits of a fraction,
-- which takes several times as long.

-- No state by itself is longer than this; one with something in front is.
local CELL_BARE_MAX = 56

-- What reservations hold, from the front of the value, and the rest of it.
local function cell_holds(cell, value)
  cell.held, cell.held_next, cell.held_last = struct.unpack('>ddd', value, 2)
  cell.force = { struct.unpack('>dddd', value, 26) }
  if string.byte(value) ~= 107 then return string.sub(value, 58) end
  cell.kept = { struct.unpack('>dddd', value, 58) }
  return string.sub(value, 90)
end

-- The cell, and whether anything is stored. What is held is told only where something was: a cell has
-- few fields, and so costs little, where nobody reserves.
local function cell_open(algorithm, key)
  if algorithm.open then
    local state = algorithm.open(key)
    local cell = { key = key, stored = state, limit = nil, held = 0 }
    if state.force then
      cell.held, cell.held_next, cell.held_last = state.held, state.held_next, state.held_last
      cell.force = state.force
    end
    return cell, state.exists
  end
  local value, cell = redis.call('GET', key), nil
  if algorithm.ends then
    cell = { key = key, stored = nil, limit = nil, held = 0, as_read = nil }
  else
    cell = { key = key, stored = nil, limit = nil, held = 0 }
  end
  if not value then return cell, false end
  if #value > CELL_BARE_MAX then value = cell_holds(cell, value) end
  local state = algorithm.decode(value)
  cell.stored = state
  if algorithm.ends then cell.as_read = state end
  return cell, true
end

-- Appends what is shown of a state: its numbers, where the algorithm does not say otherwise.
local function state_read(reply, n, state, limit, amount, now)
  local read = limit.algorithm.read
  if read then return read(reply, n, state, limit, amount, now) end
  local count = #state
  for index = 1, count do reply[n + index] = state[index] end
  return n + count
end

-- Whether the window that the holds were made in is over.
local function cell_rolled(cell, limit, state)
  return limit.algorithm.windowed and cell.stored and cell.stored[1] ~= state[1]
end

local function cell_store(cell, limit, state)
  if cell.held > 0 and cell_rolled(cell, limit, state) then
    cell.held, cell.held_next, cell.held_last = 0, 0, 0
  end
  cell.stored, cell.limit = state, limit
end

-- Of a cell with something in front of its state, or a state that saves itself.
local function cell_save_whole(cell, now)
  local key, limit, state, force = cell.key, cell.limit, cell.stored, cell.force
  local algorithm = limit.algorithm
  local value, expires_at
  if algorithm.save then
    expires_at = algorithm.expires_at(state, limit, now)
  else
    value, expires_at = algorithm.encode(state, limit)
  end
  local ttl_ms = clock_ttl_ms(expires_at, now)
  if cell.held > 0 then
    -- A hold may be charged as late as it expires, and counts from then on: whoever made the hold
    -- knew how long that is.
    if algorithm.recovery_us then
      ttl_ms = math.max(ttl_ms, clock_ttl_ms(cell.held_last + algorithm.recovery_us(limit), now))
    end
    ttl_ms = math.max(ttl_ms, redis.call('PTTL', key))
  end
  if cell.lasts then ttl_ms = math.max(ttl_ms, redis.call('PTTL', key)) end
  local held_next, held_last = cell.held_next or 0, cell.held_last or 0
  if algorithm.save then
    if force then
      state.held, state.held_next, state.held_last = cell.held, held_next, held_last
      state.force, state.header_changed = force, true
    end
    algorithm.save(state, limit, now, ttl_ms)
    return
  end
  if force then
    local kept = cell.kept
    if kept then value = struct.pack('>dddd', kept[1], kept[2], kept[3], kept[4]) .. value end
    value = (kept and 'k' or 'h') .. struct.pack('>ddd', cell.held, held_next, held_last)
      .. struct.pack('>dddd', force[1], force[2], force[3], force[4]) .. value
  end
  redis.call('PSETEX', key, string.format('%d', ttl_ms), value)
end

local function cell_save(cell, now)
  local limit, state = cell.limit, cell.stored
  local algorithm = limit.algorithm
  if cell.force or cell.lasts or algorithm.save then return cell_save_whole(cell, now) end
  local value, expires_at = algorithm.encode(state, limit)
  -- It is still the window that was read, which ends when it would have: the expiry stays, and
  -- setting it again would cost as much as the rest of the command.
  if algorithm.ends and state == cell.as_read then
    redis.call('SET', cell.key, value, 'KEEPTTL')
  else
    redis.call('PSETEX', cell.key, string.format('%d', clock_ttl_ms(expires_at, now)), value)
  end
end
