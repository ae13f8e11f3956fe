-- Twin of core/algorithms/sliding-window-log.ts. limit: a = limit, b = window_us.
-- One string: a header of 32 bytes (base, then what reservations hold: see holds.lua) and 16 bytes
-- for each entry (its time, and the running total after it). Entries are found by binary search
-- and added by APPEND, so that a log of ten thousand is not read or written whole.

local LOG_HEADER, LOG_ENTRY, LOG_FORGET = 32, 16, 64

local function sliding_window_log_open(key)
  local length = redis.call('STRLEN', key)
  if length == 0 then return { key = key, count = 0, base = 0, last_at = 0, last_total = 0 } end
  local state = { key = key, exists = true, stored = (length - LOG_HEADER) / LOG_ENTRY }
  local header = redis.call('GETRANGE', key, 0, LOG_HEADER - 1)
  state.base, state.held, state.held_next, state.held_last = struct.unpack('>dddd', header)
  state.count, state.last_at, state.last_total = state.stored, 0, state.base
  if state.count > 0 then
    state.last_at, state.last_total =
      struct.unpack('>dd', redis.call('GETRANGE', key, -LOG_ENTRY, -1))
  end
  return state
end

local function sliding_window_log_entry(state, index)
  if index == state.count - 1 then return state.last_at, state.last_total end
  local from = LOG_HEADER + index * LOG_ENTRY
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
  if state.count == 0 or state.last_at < now then
    state.count, state.last_at = state.count + 1, now
  end
  state.last_total = state.last_total + (after - before)
  return state
end

local function sliding_window_log_refund(state, limit, amount, charged_at, now)
  if charged_at <= now - limit.b then return state end
  state.base = math.min(sliding_window_log_edge(state, limit, now) + amount, state.last_total)
  return state
end

local function sliding_window_log_header(state, base)
  return struct.pack('>dddd', base, state.held or 0, state.held_next or 0, state.held_last or 0)
end

local function sliding_window_log_save(state, limit, now, ttl_ms)
  local key, gone = state.key, state.gone or 0
  local last = struct.pack('>dd', state.last_at, state.last_total)
  local added = state.count > (state.stored or 0)
  if not state.exists or (gone >= LOG_FORGET and gone * 2 >= state.count) then
    local base, kept = state.base, ''
    if gone > 0 then base = math.max(base, state.gone_total) end
    if state.exists then
      kept = redis.call('GETRANGE', key, LOG_HEADER + gone * LOG_ENTRY,
        LOG_HEADER + (state.count - 1) * LOG_ENTRY - 1)
    end
    if state.count == 0 or gone == state.count then last, kept = '', '' end
    redis.call('PSETEX', key, ttl_ms, sliding_window_log_header(state, base) .. kept .. last)
    return
  end
  if added then
    redis.call('APPEND', key, last)
  elseif state.count > 0 then
    redis.call('SETRANGE', key, LOG_HEADER + (state.count - 1) * LOG_ENTRY, last)
  end
  if state.header_changed then
    redis.call('SETRANGE', key, 0, sliding_window_log_header(state, state.base))
  end
  redis.call('PEXPIRE', key, ttl_ms)
end

local function sliding_window_log_expires_at(state, limit)
  return state.last_at + limit.b
end

local function sliding_window_log_read(reply, state, limit, amount, now)
  local used = state.last_total - sliding_window_log_edge(state, limit, now)
  local newest, fits_at = 0, 0
  if used > 0 then newest = state.last_at end
  if used + amount > limit.a then
    local index = sliding_window_log_first(state, nil, state.last_total + amount - limit.a)
    local at = newest
    if index < state.count then at = sliding_window_log_entry(state, index) end
    fits_at = at + limit.b
  end
  reply[#reply + 1] = used
  reply[#reply + 1] = newest
  reply[#reply + 1] = fits_at
end

algorithms['5'] = {
  open = sliding_window_log_open, load = sliding_window_log_load,
  admits = sliding_window_log_admits, charge = sliding_window_log_charge,
  refund = sliding_window_log_refund, save = sliding_window_log_save,
  expires_at = sliding_window_log_expires_at, read = sliding_window_log_read,
}
