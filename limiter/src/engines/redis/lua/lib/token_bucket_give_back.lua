-- What gives back, of a bucket: apart, for most calls only take.

local function token_bucket_refund(state, limit, amount, charged_at, now)
  local whole = floor(amount * limit.c / limit.b)
  local back = max(0, whole - max(0, now - charged_at))
  return token_bucket_load(
    { empty_at = state.empty_at - back, fraction = state.fraction }, limit, now)
end

local function token_bucket_recovery_us(limit)
  return floor(limit.a * limit.c / limit.b) + 2
end

algorithms['1'].refund = token_bucket_refund
algorithms['1'].recovery_us = token_bucket_recovery_us
