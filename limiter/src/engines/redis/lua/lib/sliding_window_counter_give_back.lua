-- What gives back, of a sliding counter: apart, for most calls only take.

-- What had faded of a charge when its window's length changed was not taken over, and nobody knows
-- when that was: only as much is given back as would be left if it were now.
local function sliding_window_counter_not_faded(limit, amount, charged_at, now)
  local start = charged_at - math.fmod(charged_at, limit.b) + limit.b
  local ticks, elapsed = sliding_window_counter_ticks({ start, limit.b }, now)
  return math.floor(amount * math.max(0, ticks - elapsed) / ticks)
end

local function sliding_window_counter_refund(state, limit, amount, charged_at, now)
  local start, window, previous, current = state[1], state[2], state[3], state[4]
  if window ~= limit.b then
    amount = sliding_window_counter_not_faded(limit, amount, charged_at, now)
  end
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

algorithms[4].refund, algorithms[4].as_charged = sliding_window_counter_refund, true
algorithms[4].window_of = sliding_window_counter_window_of
algorithms[4].recovery_us = sliding_window_counter_recovery_us
