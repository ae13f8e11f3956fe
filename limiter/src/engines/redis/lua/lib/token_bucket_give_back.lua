-- What gives back, of a bucket: apart, for most calls only take.

local function token_bucket_refund(state, limit, amount, charged_at, now)
  local whole = math.floor(amount * limit.c / limit.b)
  local back = math.max(0, whole - math.max(0, now - charged_at))
  return token_bucket_load({ state[1] - back, state[2] }, limit, now)
end

local function token_bucket_recovery_us(limit)
  return math.floor(limit.a * limit.c / limit.b) + 2
end

algorithms['1'].refund = token_bucket_refund
algorithms['1'].recovery_us = token_bucket_recovery_us
