-- Twin of core/algorithms/concurrency.ts. limit: a = slots, b = stale_after_us.
-- A sorted set of tickets by expiry: one entry per holder, each with its own end.

local function concurrency_open(key)
  return { key = key, added = {} }
end

local function concurrency_load(stored)
  return stored
end

local function concurrency_used(state, now)
  if not state.live then
    state.live = redis.call('ZCOUNT', state.key, '(' .. string.format('%.0f', now), '+inf')
    state.exists = state.live > 0 or redis.call('EXISTS', state.key) == 1
  end
  return state.live + #state.added / 2
end

local function concurrency_admits(state, limit, amount, now)
  return concurrency_used(state, now) < limit.a
end

-- The ticket, not the cost, takes the slot.
local function concurrency_charge(state, limit, amount, now, ticket)
  concurrency_used(state, now)
  state.added[#state.added + 1] = now + limit.b
  state.added[#state.added + 1] = ticket
  return state
end

local function concurrency_save(state, limit, now, ttl_ms)
  redis.call('ZREMRANGEBYSCORE', state.key, '-inf', now)
  redis.call('ZADD', state.key, unpack(state.added))
  if redis.call('PTTL', state.key) < ttl_ms then redis.call('PEXPIRE', state.key, ttl_ms) end
end

local function concurrency_expires_at(state, limit, now)
  return now + limit.b
end

local function concurrency_read(reply, n, state, limit, amount, now)
  local used, soonest, latest = concurrency_used(state, now), 0, 0
  if state.live > 0 then
    local from = '(' .. string.format('%.0f', now)
    soonest = redis.call('ZRANGEBYSCORE', state.key, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    latest = redis.call('ZRANGE', state.key, -1, -1, 'WITHSCORES')[2]
    soonest, latest = tonumber(soonest), tonumber(latest)
  end
  for index = 1, #state.added, 2 do
    local expires = state.added[index]
    if soonest == 0 or expires < soonest then soonest = expires end
    if expires > latest then latest = expires end
  end
  reply[n + 1], reply[n + 2], reply[n + 3] = used, soonest, latest
  return n + 3
end

algorithms[6] = {
  open = concurrency_open, load = concurrency_load, admits = concurrency_admits,
  charge = concurrency_charge, save = concurrency_save, expires_at = concurrency_expires_at,
  read = concurrency_read, slots = true,
}
