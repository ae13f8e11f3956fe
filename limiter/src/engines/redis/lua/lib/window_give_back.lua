-- What gives back, of windows: apart, for most calls only take.

local function window_refund(state, limit, amount, charged_at)
  if charged_at < state.start or charged_at >= state.stop then return state end
  return { start = state.start, stop = state.stop, used = max(0, state.used - amount) }
end

if algorithms['2'] then algorithms['2'].refund = window_refund end
if algorithms['3'] then algorithms['3'].refund = window_refund end
