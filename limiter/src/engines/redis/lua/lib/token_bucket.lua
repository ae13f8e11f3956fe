-- Twin of core/algorithms/token-bucket.ts. limit: a = capacity, b = tokens, c = per_us.
-- state: the instant the bucket was empty, and its fraction. Stored as a bare integer where there is
-- no fraction, else with three digits of it behind (both kept by Redis as one machine word), else
-- as text. Charged in place: making another would cost more than all sums.

local function token_bucket_decode(value)
  if #value < 18 then
    local empty_at = tonumber(value)
    if empty_at then return { empty_at, 0 } end
  end
  local whole, fraction = string.match(value, '^(%d+):(%d+)$')
  if whole then return { tonumber(whole), tonumber(fraction) } end
  return { tonumber(string.sub(value, 1, -4)), tonumber(string.sub(value, -3)) }
end

local function token_bucket_load(stored, limit, now)
  local ticks, tokens = limit.a * limit.c, limit.b
  local full_at, full_fraction = now - ticks, 0
  if tokens > 1 then
    full_fraction = ticks % tokens
    full_at = now - (ticks - full_fraction) / tokens
    if full_fraction > 0 then full_at, full_fraction = full_at - 1, tokens - full_fraction end
  end
  if stored then
    local empty_at, fraction = stored[1], stored[2]
    if fraction >= tokens then
      empty_at, fraction = empty_at + 1, 0
      stored = { empty_at, 0 }
    end
    if empty_at > full_at or (empty_at == full_at and fraction > full_fraction) then
      return stored
    end
  end
  return { full_at, full_fraction }
end

-- Taking the amount moves the instant at which the bucket was empty by the time it takes. Where that
-- is a whole number of microseconds the callers add it themselves: a call costs more than the sum.
local function token_bucket_after(state, limit, amount)
  local ticks, tokens = amount * limit.c, limit.b
  local rest = ticks % tokens
  local empty_at, fraction = state[1] + (ticks - rest) / tokens, state[2] + rest
  if fraction < tokens then return empty_at, fraction end
  return empty_at + 1, fraction - tokens
end

local function token_bucket_admits(state, limit, amount, now)
  local empty_at, fraction = state[1] + amount * limit.c, state[2]
  if limit.b > 1 then empty_at, fraction = token_bucket_after(state, limit, amount) end
  return empty_at < now or (empty_at == now and fraction == 0)
end

local function token_bucket_charge(state, limit, amount, now)
  local empty_at, fraction = state[1] + amount * limit.c, state[2]
  if limit.b > 1 then empty_at, fraction = token_bucket_after(state, limit, amount) end
  if empty_at > now then
    local ticks = limit.a * limit.c
    local worst_fraction = ticks % limit.b
    local worst_at = now + (ticks - worst_fraction) / limit.b
    if empty_at > worst_at or (empty_at == worst_at and fraction > worst_fraction) then
      empty_at, fraction = worst_at, worst_fraction
    end
  end
  state[1], state[2] = empty_at, fraction
  return state
end

-- The value to store, and when it has become equal to a fresh one.
local function token_bucket_encode(state, limit)
  local empty_at, fraction = state[1], state[2]
  local ticks, tokens = limit.a * limit.c, limit.b
  local expires_at = empty_at + (ticks - ticks % tokens) / tokens + 2
  if fraction == 0 then return string.format('%d', empty_at), expires_at end
  local form = fraction < 1000 and '%d%03d' or '%d:%d'
  return string.format(form, empty_at, fraction), expires_at
end

algorithms[1] = {
  decode = token_bucket_decode, load = token_bucket_load, admits = token_bucket_admits,
  charge = token_bucket_charge, encode = token_bucket_encode,
}
