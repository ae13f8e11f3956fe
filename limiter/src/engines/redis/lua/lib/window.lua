-- Twin of core/algorithms/window.ts: what fixed windows and quotas share. limit.a = limit.
-- state: start, stop, used. Charged in place: making another would cost more than all sums.

local function window_decode(value)
  local start, stop, used = struct.unpack('>ddd', value)
  return { start, stop, used }
end

local function window_admits(state, limit, amount)
  return state[3] + amount <= limit.a
end

local function window_charge(state, limit, amount)
  local before, most = state[3], 2 * limit.a
  local used = before + amount
  if used > most then
    used = most
    if used < before then used = before end
  end
  state[3] = used
  return state
end

local function window_encode(state)
  return struct.pack('>ddd', state[1], state[2], state[3]), state[2]
end

local function window_algorithm(load)
  return {
    decode = window_decode, load = load, admits = window_admits, charge = window_charge,
    encode = window_encode, windowed = true, ends = true,
  }
end
