-- How many keys of a kind a tenant may create in an hour, counted only when one is created. Counters
-- weigh by how long they live, an hour at the most: so the bound is on those alive, and a subject
-- whose counter comes and goes with a short window counts as one.

local ALLOWANCE_WINDOW_MS = 3600000

local function allowance_weight(cell, now)
  local limit, state = cell.limit, cell.stored
  local algorithm, expires_at, _ = limit.algorithm, nil, nil
  if algorithm.expires_at then
    expires_at = algorithm.expires_at(state, limit, now)
  else
    _, expires_at = algorithm.encode(state, limit)
  end
  return math.min(clock_ttl_ms(expires_at, now), ALLOWANCE_WINDOW_MS)
end

local function allowance_left(key, max)
  return max - (tonumber(redis.call('GET', key) or 0))
end

local function allowance_take(key, count)
  -- A new counter is at exactly the count: then it gets its expiry. It only rises.
  if redis.call('INCRBY', key, count) == count then
    redis.call('PEXPIRE', key, ALLOWANCE_WINDOW_MS)
  end
end
