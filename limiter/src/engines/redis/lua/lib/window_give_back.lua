-- What gives back, of windows: apart, for most calls only take.

local function window_refund(state, limit, amount, charged_at)
  if charged_at < state[1] or charged_at >= state[2] then return state end
  return { state[1], state[2], math.max(0, state[3] - amount) }
end

-- One that was made longer meanwhile is not over yet.
local function fixed_window_of(state, limit)
  return math.max(limit.b, state[2] - state[1])
end

if algorithms[2] then
  algorithms[2].refund, algorithms[2].window_of = window_refund, fixed_window_of
end
if algorithms[3] then algorithms[3].refund = window_refund end
