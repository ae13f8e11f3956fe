-- Twin of core/algorithms/sliding-window-counter.ts. limit: a = limit, b = window_us.
-- state: start, window, previous, current.

local function sliding_window_counter_decode(value)
  local start, window, previous, current = struct.unpack('>dddd', value)
  return { start, window, previous, current }
end

local function sliding_window_counter_load(stored, limit, now)
  if stored then
    local start, window, current = stored[1], stored[2], stored[4]
    if now < start + window then return stored end
    if now < start + 2 * window and current > 0 then
      return { start + window, window, current, 0 }
    end
  end
  return { now - math.fmod(now, limit.b), limit.b, 0, 0 }
end

-- Windows over an hour are weighed in milliseconds: count x length must stay below 2^53.
local function sliding_window_counter_ticks(state, now)
  local tick = 1
  if state[2] > 3600000000 then tick = 1000 end
  return state[2] / tick, math.floor(math.max(0, now - state[1]) / tick)
end

local function sliding_window_counter_admits(state, limit, amount, now)
  local ticks, elapsed = sliding_window_counter_ticks(state, now)
  return state[3] * (ticks - elapsed) + (state[4] + amount) * ticks <= limit.a * ticks
end

local function sliding_window_counter_charge(state, limit, amount, now)
  local start, previous, current = state[1], state[3], state[4]
  if state[2] ~= limit.b then
    local ticks, elapsed = sliding_window_counter_ticks(state, now)
    current = math.ceil(previous * (ticks - elapsed) / ticks) + current
    local at = math.max(now, start)
    start, previous = at - math.fmod(at, limit.b), 0
  end
  current = math.max(current, math.min(current + amount, 2 * limit.a))
  return { start, limit.b, previous, current }
end

local function sliding_window_counter_encode(state)
  local value = struct.pack('>dddd', state[1], state[2], state[3], state[4])
  return value, state[1] + 2 * state[2]
end

algorithms['4'] = {
  decode = sliding_window_counter_decode, load = sliding_window_counter_load,
  admits = sliding_window_counter_admits, charge = sliding_window_counter_charge,
  encode = sliding_window_counter_encode,
}
