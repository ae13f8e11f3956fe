-- Twin of core/algorithms/sliding-window-log.ts. limit: a = limit, b = window_us.
-- One string: a header of 48 bytes (base, what reservations hold with the limit then in force, see
-- cells.lua, and the window that was last charged) and 16 bytes for each entry (its time, and the running total after it). A short log is read and written whole,
-- without what has left the window. Of a long one only some entries are read, by binary search, and
-- new ones are appended.

local LOG_HEADER, LOG_ENTRY, LOG_SHORT, LOG_FORGET = 48, 16, 256, 64
-- The last byte of what is read of any log, as text: Redis spells every number it is given.
local LOG_READ_LAST = '4143'

-- `stored` entries are in Redis, the first of them in `text`. The newest entry is apart, `pending`
-- while it is not as stored; what came in this call before it is in `added`.
local function sliding_window_log_open(key)
  local text = redis.call('GETRANGE', key, '0', LOG_READ_LAST)
  local state = {
    key = key, text = text, exists = text ~= '', stored = 0, count = 0, added = '', pending = false,
    base = 0, last_at = 0, last_total = 0, edge_at = false, gone = 0, gone_total = 0,
    forgot = 0, forgot_total = 0, window = 0,
  }
  if text == '' then return state end
  local base, held, held_next, held_last, size, window = struct.unpack('>dddddd', text)
  state.base, state.window, state.last_total = base, window, base
  if size > 0 then
    state.held, state.held_next, state.held_last = held, held_next, held_last
    state.force = { size, window, 0, 0 }
  end
  local stored, newest, newest_at = (#text - LOG_HEADER) / LOG_ENTRY, text, #text - LOG_ENTRY + 1
  if stored == LOG_SHORT then
    stored = (redis.call('STRLEN', key) - LOG_HEADER) / LOG_ENTRY
    newest, newest_at = redis.call('GETRANGE', key, -LOG_ENTRY, -1), 1
  end
  state.stored, state.count = stored, stored
  if stored > 0 then
    state.last_at, state.last_total = struct.unpack('>dd', newest, newest_at)
  end
  return state
end

local function sliding_window_log_entry(state, index)
  local stored = state.stored
  if index == state.count - 1 then return state.last_at, state.last_total end
  if index >= stored then
    return struct.unpack('>dd', state.added, (index - stored) * LOG_ENTRY + 1)
  end
  if state.changed and index == stored - 1 then return struct.unpack('>dd', state.changed) end
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
  local edge_at = now - limit.b
  if state.edge_at ~= edge_at then
    local gone, gone_total = 0, 0
    -- Mostly the oldest is still in the window, and there is nothing to search for.
    if state.count > 0 and sliding_window_log_entry(state, 0) <= edge_at then
      gone = sliding_window_log_first(state, edge_at)
      local _, total = sliding_window_log_entry(state, gone - 1)
      gone_total = total
    end
    state.edge_at, state.gone, state.gone_total = edge_at, gone, gone_total
  end
  local base, gone_total = state.base, state.gone_total
  if gone_total > base then return gone_total end
  return base
end

local function sliding_window_log_load(stored)
  return stored
end

local function sliding_window_log_admits(state, limit, amount, now)
  return state.last_total - sliding_window_log_edge(state, limit, now) + amount <= limit.a
end

local function sliding_window_log_charge(state, limit, amount, now)
  local before, most = state.last_total - sliding_window_log_edge(state, limit, now), 2 * limit.a
  local after = before + amount
  if after > most then after = math.max(before, most) end
  -- Only a charge forgets, and as of its own time, so that a clock that goes back or a window that
  -- is made longer meets the same log in every engine.
  state.forgot, state.forgot_total = state.gone, state.gone_total
  if state.window ~= limit.b then state.window, state.header_changed = limit.b, true end
  if state.count == 0 or state.last_at < now then
    if state.pending then
      local newest = struct.pack('>dd', state.last_at, state.last_total)
      if state.count > state.stored then state.added = state.added .. newest
      else state.changed = newest end
    end
    state.count, state.last_at = state.count + 1, now
  end
  state.last_total, state.pending = state.last_total + after - before, true
  return state
end

local function sliding_window_log_header(state, base)
  local size, window, force = 0, state.window, state.force
  if force then size, window = force[1], force[2] end
  return struct.pack('>dddddd', base, state.held or 0, state.held_next or 0, state.held_last or 0,
    size, window)
end

-- The last entry in Redis, where it is another now, and what is to follow it.
local function sliding_window_log_changes(state)
  if not state.pending then return nil, '' end
  local newest = struct.pack('>dd', state.last_at, state.last_total)
  if state.count == state.stored then return newest, '' end
  local added, forgot = state.added .. newest, state.forgot - state.stored
  if forgot > 0 then added = string.sub(added, forgot * LOG_ENTRY + 1) end
  return state.changed, added
end

local function sliding_window_log_save(state, limit, now, ttl_ms)
  ttl_ms = string.format('%d', ttl_ms)
  local key, gone, stored, text = state.key, state.forgot, state.stored, state.text
  local from = LOG_HEADER + math.min(gone, stored) * LOG_ENTRY
  local changed, added = sliding_window_log_changes(state)
  if stored < LOG_SHORT then
    if changed and gone < stored then text = string.sub(text, 1, -LOG_ENTRY - 1) .. changed end
    if gone > 0 or state.header_changed then
      local base = gone > 0 and math.max(state.base, state.forgot_total) or state.base
      text = sliding_window_log_header(state, base) .. string.sub(text, from + 1)
    end
    redis.call('PSETEX', key, ttl_ms, text .. added)
    return
  end
  if changed then redis.call('SETRANGE', key, LOG_HEADER + (stored - 1) * LOG_ENTRY, changed) end
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

algorithms[5] = {
  open = sliding_window_log_open, load = sliding_window_log_load,
  admits = sliding_window_log_admits, charge = sliding_window_log_charge,
  save = sliding_window_log_save, expires_at = sliding_window_log_expires_at,
  read = sliding_window_log_read,
}
