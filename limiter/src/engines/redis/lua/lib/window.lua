-- Twin of core/algorithms/window.ts: what fixed windows and quotas share. limit.a = limit.

local function window_decode(value)
  local start, stop, used = struct.unpack('>ddd', value)
  return { start = start, stop = stop, used = used }
end

local function window_admits(state, limit, amount)
  return state.used + amount <= limit.a
end

local function window_charge(state, limit, amount)
  local used = state.used + amount
  if used > 2 * limit.a then used = max(state.used, 2 * limit.a) end
  return { start = state.start, stop = state.stop, used = used }
end

local function window_encode(state)
  return struct.pack('>ddd', state.start, state.stop, state.used), state.stop
end

local function window_read(reply, n, state)
  reply[n + 1], reply[n + 2], reply[n + 3] = state.start, state.stop, state.used
  return n + 3
end

local function window_algorithm(load)
  return {
    decode = window_decode, load = load, admits = window_admits, charge = window_charge,
    encode = window_encode, read = window_read, windowed = true,
  }
end
