-- Twin of core/algorithms/sliding-window-counter.ts. limit: a = limit, b = window_us.

local function sliding_window_counter_decode(value)
  local start, window, previous, current = struct.unpack('>dddd', value)
  return { start = start, window = window, previous = previous, current = current }
end

local function sliding_window_counter_load(stored, limit, now)
  if stored then
    local start, window = stored.start, stored.window
    if now < start + window then return stored end
    if now < start + 2 * window and stored.current > 0 then
      return { start = start + window, window = window, previous = stored.current, current = 0 }
    end
  end
  return { start = now - fmod(now, limit.b), window = limit.b, previous = 0, current = 0 }
end

-- Windows over an hour are weighed in milliseconds: count x length must stay below 2^53.
local function sliding_window_counter_ticks(state, now)
  local tick = 1
  if state.window > 3600000000 then tick = 1000 end
  return state.window / tick, floor(max(0, now - state.start) / tick)
end

local function sliding_window_counter_admits(state, limit, amount, now)
  local ticks, elapsed = sliding_window_counter_ticks(state, now)
  local counted = state.previous * (ticks - elapsed) + (state.current + amount) * ticks
  return counted <= limit.a * ticks
end

local function sliding_window_counter_charge(state, limit, amount, now)
  local start, previous, current = state.start, state.previous, state.current
  if state.window ~= limit.b then
    local ticks, elapsed = sliding_window_counter_ticks(state, now)
    current = ceil(previous * (ticks - elapsed) / ticks) + current
    local at = max(now, start)
    start, previous = at - fmod(at, limit.b), 0
  end
  current = max(current, min(current + amount, 2 * limit.a))
  return { start = start, window = limit.b, previous = previous, current = current }
end

local function sliding_window_counter_encode(state)
  local value =
    struct.pack('>dddd', state.start, state.window, state.previous, state.current)
  return value, state.start + 2 * state.window
end

local function sliding_window_counter_read(reply, n, state)
  reply[n + 1], reply[n + 2] = state.start, state.window
  reply[n + 3], reply[n + 4] = state.previous, state.current
  return n + 4
end

algorithms['4'] = {
  decode = sliding_window_counter_decode, load = sliding_window_counter_load,
  admits = sliding_window_counter_admits, charge = sliding_window_counter_charge,
  encode = sliding_window_counter_encode, read = sliding_window_counter_read,
}
