-- Twin of core/algorithms/window.ts: what fixed windows and quotas share. limit.a = limit.
-- state: start, stop, used.

local function window_decode(value)
  local start, stop, used = struct.unpack('>ddd', value)
  return { start, stop, used }
end

local function window_admits(state, limit, amount)
  return state[3] + amount <= limit.a
end

local function window_charge(state, limit, amount)
  local used = state[3] + amount
  if used > 2 * limit.a then used = math.max(state[3], 2 * limit.a) end
  return { state[1], state[2], used }
end

local function window_encode(state)
  return struct.pack('>ddd', state[1], state[2], state[3]), state[2]
end

local function window_algorithm(load)
  return {
    decode = window_decode, load = load, admits = window_admits, charge = window_charge,
    encode = window_encode, windowed = true,
  }
end
