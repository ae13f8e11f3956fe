-- What gives back, of a sliding counter: apart, for most calls only take.

local function sliding_window_counter_refund(state, limit, amount, charged_at)
  local start, window, previous, current = state[1], state[2], state[3], state[4]
  if charged_at >= start and charged_at < start + window then
    current = math.max(0, current - amount)
  elseif charged_at >= start - window and charged_at < start then
    previous = math.max(0, previous - amount)
  end
  return { start, window, previous, current }
end

local function sliding_window_counter_recovery_us(limit)
  return 2 * limit.b
end

local function sliding_window_counter_window_of(state)
  return state[2]
end

algorithms['4'].refund = sliding_window_counter_refund
algorithms['4'].window_of = sliding_window_counter_window_of
algorithms['4'].recovery_us = sliding_window_counter_recovery_us
