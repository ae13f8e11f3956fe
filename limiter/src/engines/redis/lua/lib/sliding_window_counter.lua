-- Twin of core/algorithms/sliding-window-counter.ts. limit: a = limit, b = window_us.
-- state: start, window, previous, current. Charged in place: making another would cost more than
-- all sums.

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
  return { now - now % limit.b, limit.b, 0, 0 }
end

-- Windows over an hour are weighed in milliseconds: count x length must stay below 2^53.
local function sliding_window_counter_ticks(state, now)
  local window, elapsed = state[2], now - state[1]
  if elapsed < 0 then elapsed = 0 end
  if window <= 3600000000 then return window, elapsed end
  return window / 1000, (elapsed - elapsed % 1000) / 1000
end

local function sliding_window_counter_admits(state, limit, amount, now)
  local ticks, elapsed = sliding_window_counter_ticks(state, now)
  return state[3] * (ticks - elapsed) + (state[4] + amount) * ticks <= limit.a * ticks
end

local function sliding_window_counter_charge(state, limit, amount, now)
  local before, most = state[4], 2 * limit.a
  if state[2] ~= limit.b then
    local ticks, elapsed = sliding_window_counter_ticks(state, now)
    before = math.ceil(state[3] * (ticks - elapsed) / ticks) + before
    local at = math.max(now, state[1])
    state = { at - at % limit.b, limit.b, 0, before }
  end
  local current = before + amount
  if current > most then
    current = most
    if current < before then current = before end
  end
  state[4] = current
  return state
end

local function sliding_window_counter_encode(state)
  local value = struct.pack('>dddd', state[1], state[2], state[3], state[4])
  return value, state[1] + 2 * state[2]
end

algorithms[4] = {
  decode = sliding_window_counter_decode, load = sliding_window_counter_load,
  admits = sliding_window_counter_admits, charge = sliding_window_counter_charge,
  encode = sliding_window_counter_encode, ends = true,
}
