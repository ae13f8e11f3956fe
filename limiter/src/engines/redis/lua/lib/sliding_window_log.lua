-- Twin of core/algorithms/sliding-window-log.ts. limit: a = limit, b = window_us.
-- One string: a header of 48 bytes (base, what reservations hold with the limit then in force, see
-- cells.lua, and the window that was last charged) and 16 bytes for each entry (its time, and the running total after it). A short log is read and written whole,
-- without what has left the window. Of a long one only some entries are read, by binary search, and
-- new ones are appended.

local LOG_HEADER, LOG_ENTRY, LOG_SHORT, LOG_FORGET = 48, 16, 256, 64

-- `stored` entries are in Redis, the first of them in `text`, the newer ones of this call in `added`.
local function sliding_window_log_open(key)
  local text = redis.call('GETRANGE', key, 0, LOG_HEADER + LOG_SHORT * LOG_ENTRY - 1)
  local state = {
    key = key, text = text, exists = false, short = true, stored = 0, count = 0, added = {},
    base = 0, last_at = 0, last_total = 0, gone = 0, gone_total = 0, edge_at = nil,
    forgot = 0, forgot_total = 0,
    held = 0, held_next = 0, held_last = 0, force = nil, window = 0, changed = nil, header_changed = nil,
  }
  if text == '' then return state end
  state.exists = true
  local size
  state.base, state.held, state.held_next, state.held_last, size, state.window =
    struct.unpack('>dddddd', text)
  if size > 0 then state.force = { size, state.window, 0, 0 } end
  state.stored, state.last_total = (#text - LOG_HEADER) / LOG_ENTRY, state.base
  local last = string.sub(text, -LOG_ENTRY)
  if state.stored == LOG_SHORT then
    state.short = false
    state.stored = (redis.call('STRLEN', key) - LOG_HEADER) / LOG_ENTRY
    last = redis.call('GETRANGE', key, -LOG_ENTRY, -1)
  end
  state.count = state.stored
  if state.count > 0 then state.last_at, state.last_total = struct.unpack('>dd', last) end
  return state
end

local function sliding_window_log_entry(state, index)
  if index == state.count - 1 then return state.last_at, state.last_total end
  if index >= state.stored then
    local entry = state.added[index - state.stored + 1]
    return entry.at, entry.total
  end
  if state.changed and index == state.stored - 1 then return state.changed.at, state.changed.total end
  local from = LOG_HEADER + index * LOG_ENTRY
  if index < LOG_SHORT then return struct.unpack('>dd', state.text, from + 1) end
  return struct.unpack('>dd', redis.call('GETRANGE', state.key, from, from + LOG_ENTRY - 1))
end

-- The first entry later than `at`; with `total`, the first whose running total reaches it.
local function sliding_window_log_first(state, at, total)
  local low, high = 0, state.count
  while low < high do
    local middle = math.floor((low + high) / 2)
    local entry_at, entry_total = sliding_window_log_entry(state, middle)
    if (total and entry_total >= total) or (at and entry_at > at) then high = middle
    else low = middle + 1 end
  end
  return low
end

-- The running total of what has left the window or was given back. Asked again at the same time
-- for every check of a call, and the oldest entries are still gone then.
local function sliding_window_log_edge(state, limit, now)
  if state.edge_at ~= now - limit.b then
    state.edge_at = now - limit.b
    state.gone = sliding_window_log_first(state, state.edge_at)
    state.gone_total = 0
    if state.gone > 0 then
      local _, total = sliding_window_log_entry(state, state.gone - 1)
      state.gone_total = total
    end
  end
  return math.max(state.base, state.gone_total)
end

local function sliding_window_log_load(stored)
  return stored
end

local function sliding_window_log_admits(state, limit, amount, now)
  return state.last_total - sliding_window_log_edge(state, limit, now) + amount <= limit.a
end

local function sliding_window_log_charge(state, limit, amount, now)
  local before = state.last_total - sliding_window_log_edge(state, limit, now)
  local after = math.max(before, math.min(before + amount, 2 * limit.a))
  -- Only a charge forgets, and as of its own time, so that a clock that goes back or a window that
  -- is made longer meets the same log in every engine.
  state.forgot, state.forgot_total = state.gone, state.gone_total
  state.last_total = state.last_total + (after - before)
  if state.window ~= limit.b then state.window, state.header_changed = limit.b, true end
  if state.count == 0 or state.last_at < now then
    state.count, state.last_at = state.count + 1, now
    state.added[#state.added + 1] = { at = now, total = state.last_total }
  elseif #state.added > 0 then
    state.added[#state.added].total = state.last_total
  else
    state.changed = { at = state.last_at, total = state.last_total }
  end
  return state
end

local function sliding_window_log_header(state, base)
  local held, next, last, force = state.held, state.held_next, state.held_last, state.force
  local size, window = 0, state.window
  if force then size, window = force[1], force[2] end
  return struct.pack('>dddddd', base, held, next, last, size, window)
end

local function sliding_window_log_save(state, limit, now, ttl_ms)
  local key, gone = state.key, state.forgot
  local added = ''
  for index, entry in ipairs(state.added) do
    if state.stored + index > gone then
      added = added .. struct.pack('>dd', entry.at, entry.total)
    end
  end
  local from = LOG_HEADER + math.min(gone, state.stored) * LOG_ENTRY
  local changed = state.changed and struct.pack('>dd', state.changed.at, state.changed.total)
  if state.short then
    local kept = string.sub(state.text, from + 1)
    if changed and kept ~= '' then kept = string.sub(kept, 1, -LOG_ENTRY - 1) .. changed end
    local base = gone > 0 and math.max(state.base, state.forgot_total) or state.base
    redis.call('PSETEX', key, ttl_ms, sliding_window_log_header(state, base) .. kept .. added)
    return
  end
  if changed then
    redis.call('SETRANGE', key, LOG_HEADER + (state.stored - 1) * LOG_ENTRY, changed)
  end
  if gone >= LOG_FORGET and gone * 2 >= state.count then
    local base = math.max(state.base, state.forgot_total)
    local kept = redis.call('GETRANGE', key, from, -1)
    redis.call('PSETEX', key, ttl_ms, sliding_window_log_header(state, base) .. kept .. added)
    return
  end
  if added ~= '' then redis.call('APPEND', key, added) end
  if state.header_changed then
    redis.call('SETRANGE', key, 0, sliding_window_log_header(state, state.base))
  end
  redis.call('PEXPIRE', key, ttl_ms)
end

local function sliding_window_log_expires_at(state, limit)
  return state.last_at + limit.b
end

local function sliding_window_log_read(reply, n, state, limit, amount, now)
  local used = state.last_total - sliding_window_log_edge(state, limit, now)
  local newest, fits_at = 0, 0
  if used > 0 then newest = state.last_at end
  if used + amount > limit.a then
    local index = sliding_window_log_first(state, nil, state.last_total + amount - limit.a)
    local at = newest
    if index < state.count then at = sliding_window_log_entry(state, index) end
    fits_at = at + limit.b
  end
  reply[n + 1], reply[n + 2], reply[n + 3] = used, newest, fits_at
  return n + 3
end

algorithms['5'] = {
  open = sliding_window_log_open, load = sliding_window_log_load,
  admits = sliding_window_log_admits, charge = sliding_window_log_charge,
  save = sliding_window_log_save, expires_at = sliding_window_log_expires_at,
  read = sliding_window_log_read,
}
