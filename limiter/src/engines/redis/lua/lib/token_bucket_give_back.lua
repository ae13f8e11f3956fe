-- What gives back, of a bucket: apart, for most calls only take.

-- What flows over is lost when it is next looked at, by the capacity then in force.
local function token_bucket_refund(state, limit, amount, charged_at, now)
  local whole = math.floor(amount * limit.c / limit.b)
  local back = math.max(0, whole - math.max(0, now - charged_at))
  return { state[1] - back, state[2] }
end

local function token_bucket_recovery_us(limit)
  return math.floor(limit.a * limit.c / limit.b) + 2
end

algorithms[1].refund, algorithms[1].as_charged = token_bucket_refund, true
algorithms[1].recovery_us = token_bucket_recovery_us
