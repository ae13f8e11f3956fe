-- Twin of core/algorithms/token-bucket.ts. limit: a = capacity, b = tokens, c = per_us.
-- Stored as the instant the bucket was empty: a bare integer where there is no fraction, else with
-- three digits of it behind (both kept by Redis as one machine word), else as text.

local function token_bucket_decode(value)
  if #value < 18 then
    local empty_at = tonumber(value)
    if empty_at then return { empty_at = empty_at, fraction = 0 } end
  end
  local whole, fraction = match(value, '^(%d+):(%d+)$')
  if whole then return { empty_at = tonumber(whole), fraction = tonumber(fraction) } end
  return { empty_at = tonumber(sub(value, 1, -4)), fraction = tonumber(sub(value, -3)) }
end

-- The instant of an empty bucket that is full now.
local function token_bucket_full(limit, now)
  local ticks, tokens = limit.a * limit.c, limit.b
  if tokens == 1 then return now - ticks, 0 end
  local fraction = fmod(ticks, tokens)
  if fraction == 0 then return now - ticks / tokens, 0 end
  return now - floor(ticks / tokens) - 1, tokens - fraction
end

local function token_bucket_load(stored, limit, now)
  local full_at, full_fraction = token_bucket_full(limit, now)
  if stored then
    local empty_at, fraction = stored.empty_at, stored.fraction
    if fraction >= limit.b then
      empty_at, fraction = empty_at + 1, 0
      stored = { empty_at = empty_at, fraction = 0 }
    end
    if empty_at > full_at or (empty_at == full_at and fraction > full_fraction) then
      return stored
    end
  end
  return { empty_at = full_at, fraction = full_fraction }
end

-- Taking the amount moves the instant at which the bucket was empty by the time it takes.
local function token_bucket_after(state, limit, amount)
  local ticks, tokens = amount * limit.c, limit.b
  if tokens == 1 then return state.empty_at + ticks, state.fraction end
  local empty_at = state.empty_at + floor(ticks / tokens)
  local fraction = state.fraction + fmod(ticks, tokens)
  if fraction < tokens then return empty_at, fraction end
  return empty_at + 1, fraction - tokens
end

local function token_bucket_admits(state, limit, amount, now)
  local empty_at, fraction = token_bucket_after(state, limit, amount)
  return empty_at < now or (empty_at == now and fraction == 0)
end

local function token_bucket_charge(state, limit, amount, now)
  local empty_at, fraction = token_bucket_after(state, limit, amount)
  if empty_at > now then
    local ticks = limit.a * limit.c
    local worst_at, worst_fraction = now + floor(ticks / limit.b), fmod(ticks, limit.b)
    if empty_at > worst_at or (empty_at == worst_at and fraction > worst_fraction) then
      empty_at, fraction = worst_at, worst_fraction
    end
  end
  return { empty_at = empty_at, fraction = fraction }
end

local function token_bucket_encode(state, limit)
  local expires_at = state.empty_at + floor(limit.a * limit.c / limit.b) + 2
  if state.fraction == 0 then return state.empty_at, expires_at end
  local form = state.fraction < 1000 and '%.0f%03d' or '%.0f:%.0f'
  return format(form, state.empty_at, state.fraction), expires_at
end

local function token_bucket_read(reply, n, state)
  reply[n + 1], reply[n + 2] = state.empty_at, state.fraction
  return n + 2
end

algorithms['1'] = {
  decode = token_bucket_decode, load = token_bucket_load, admits = token_bucket_admits,
  charge = token_bucket_charge, encode = token_bucket_encode, read = token_bucket_read,
}
