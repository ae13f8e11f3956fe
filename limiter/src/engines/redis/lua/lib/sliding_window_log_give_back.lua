-- What gives back, of a log: apart, for most calls only take.

local function sliding_window_log_refund(state, limit, amount, charged_at, now)
  if charged_at <= now - limit.b then return state end
  state.base = math.min(sliding_window_log_edge(state, limit, now) + amount, state.last_total)
  return state
end

local function sliding_window_log_recovery_us(limit)
  return limit.b
end

-- What a longer one still counts must not be forgotten.
local function sliding_window_log_window_of(state, limit)
  return math.max(limit.b, state.window)
end

algorithms[5].refund = sliding_window_log_refund
algorithms[5].window_of = sliding_window_log_window_of
algorithms[5].recovery_us = sliding_window_log_recovery_us
