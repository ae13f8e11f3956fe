-- Twin of core/algorithms/token-bucket.ts. limit: a = capacity, b = tokens, c = per_us.
-- Stored as the instant the bucket was empty: a bare integer where there is no fraction, else with
-- three digits of it behind (both kept by Redis as one machine word), else as text.

local function token_bucket_decode(value)
  local whole, fraction = string.match(value, '^(%d+):(%d+)$')
  if whole then return { empty_at = tonumber(whole), fraction = tonumber(fraction) } end
  if #value < 18 then return { empty_at = tonumber(value), fraction = 0 } end
  return { empty_at = tonumber(string.sub(value, 1, -4)), fraction = tonumber(string.sub(value, -3)) }
end

local function token_bucket_later(state, limit, amount)
  local ticks, tokens = amount * limit.c, limit.b
  if tokens == 1 then return state.empty_at + ticks, state.fraction end
  local empty_at = state.empty_at + math.floor(ticks / tokens)
  local fraction = state.fraction + math.fmod(ticks, tokens)
  if fraction < tokens then return empty_at, fraction end
  return empty_at + 1, fraction - tokens
end

local function token_bucket_load(stored, limit, now)
  local ticks, tokens = limit.a * limit.c, limit.b
  local full_at, full_fraction = now - math.floor(ticks / tokens), math.fmod(ticks, tokens)
  if full_fraction > 0 then full_at, full_fraction = full_at - 1, tokens - full_fraction end
  if not stored then return { empty_at = full_at, fraction = full_fraction } end
  local empty_at, fraction = stored.empty_at, stored.fraction
  if fraction >= tokens then empty_at, fraction = empty_at + 1, 0 end
  if empty_at > full_at or (empty_at == full_at and fraction > full_fraction) then
    return { empty_at = empty_at, fraction = fraction }
  end
  return { empty_at = full_at, fraction = full_fraction }
end

local function token_bucket_admits(state, limit, amount, now)
  local empty_at, fraction = token_bucket_later(state, limit, amount)
  return empty_at < now or (empty_at == now and fraction == 0)
end

local function token_bucket_charge(state, limit, amount, now)
  local empty_at, fraction = token_bucket_later(state, limit, amount)
  local ticks = limit.a * limit.c
  local bound_at, bound_fraction = now + math.floor(ticks / limit.b), math.fmod(ticks, limit.b)
  if empty_at > bound_at or (empty_at == bound_at and fraction > bound_fraction) then
    empty_at, fraction = bound_at, bound_fraction
  end
  return { empty_at = empty_at, fraction = fraction }
end

local function token_bucket_refund(state, limit, amount, charged_at, now)
  local whole = math.floor(amount * limit.c / limit.b)
  local back = math.max(0, whole - math.max(0, now - charged_at))
  return token_bucket_load(
    { empty_at = state.empty_at - back, fraction = state.fraction }, limit, now)
end

local function token_bucket_encode(state)
  if state.fraction == 0 then return state.empty_at end
  if state.fraction < 1000 then return string.format('%.0f%03d', state.empty_at, state.fraction) end
  return string.format('%.0f:%.0f', state.empty_at, state.fraction)
end

local function token_bucket_expires_at(state, limit)
  return state.empty_at + math.floor(limit.a * limit.c / limit.b) + 2
end

local function token_bucket_recovery_us(limit)
  return math.floor(limit.a * limit.c / limit.b) + 2
end

local function token_bucket_read(reply, state)
  reply[#reply + 1] = state.empty_at
  reply[#reply + 1] = state.fraction
end

algorithms['1'] = {
  decode = token_bucket_decode, load = token_bucket_load, admits = token_bucket_admits,
  charge = token_bucket_charge, refund = token_bucket_refund, encode = token_bucket_encode,
  expires_at = token_bucket_expires_at, recovery_us = token_bucket_recovery_us, read = token_bucket_read,
}
