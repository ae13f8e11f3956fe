-- Twin of core/algorithms/window.ts: what fixed windows and quotas share. limit.a = limit.

local function window_decode(value)
  local start, stop, used = struct.unpack('>ddd', value)
  return { start = start, stop = stop, used = used }
end

local function window_admits(state, limit, amount)
  return state.used + amount <= limit.a
end

local function window_charge(state, limit, amount)
  local used = math.max(state.used, math.min(state.used + amount, 2 * limit.a))
  return { start = state.start, stop = state.stop, used = used }
end

local function window_refund(state, limit, amount, charged_at)
  if charged_at < state.start or charged_at >= state.stop then return state end
  return { start = state.start, stop = state.stop, used = math.max(0, state.used - amount) }
end

local function window_encode(state)
  return struct.pack('>ddd', state.start, state.stop, state.used)
end

local function window_expires_at(state)
  return state.stop
end

local function window_read(reply, state)
  reply[#reply + 1] = state.start
  reply[#reply + 1] = state.stop
  reply[#reply + 1] = state.used
end

local function window_algorithm(load)
  return {
    decode = window_decode, load = load, admits = window_admits, charge = window_charge,
    refund = window_refund, encode = window_encode, expires_at = window_expires_at,
    read = window_read, windowed = true,
  }
end
