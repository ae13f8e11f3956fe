-- What open reservations hold of a counter: their sum and ends in the cell, and each of them as
-- "id:cost:window:keep" in a sorted set by expiry beside it.

local function holds_window(limit, state)
  if limit.algorithm.windowed then return state[1] end
  return 0
end

local function holds_member(id, cost, window, keep)
  return string.format('%s:%.0f:%.0f:%s', id, cost, window, keep)
end

-- Once the counter is saved. What is kept is charged whenever somebody looks next: so it is there for
-- as long as the counter is.
local function holds_add(cell, holds_key, member, expires_at, now)
  redis.call('ZADD', holds_key, expires_at, member)
  local ttl_ms = clock_ttl_ms(cell.held_last, now)
  if string.sub(member, -1) == '1' then
    ttl_ms = math.max(ttl_ms, redis.call('PTTL', cell.key))
  end
  if redis.call('PTTL', holds_key) < ttl_ms then redis.call('PEXPIRE', holds_key, ttl_ms) end
end

-- After members were taken off: when the next and the last of them end.
local function holds_refresh(cell, holds_key)
  local first = redis.call('ZRANGE', holds_key, 0, 0, 'WITHSCORES')
  local last = redis.call('ZRANGE', holds_key, -1, -1, 'WITHSCORES')
  cell.held_next, cell.held_last = tonumber(first[2] or 0), tonumber(last[2] or 0)
  if not first[1] then cell.held = 0 end
end

-- A cell forgets its holds with its window. Should a window of the same start come again, for the
-- limit was changed and changed back, those that are still open count again: they would be taken off
-- the sum when they end.
local function holds_recount(cell, holds_key, window)
  local open = redis.call('ZRANGE', holds_key, 0, -1, 'WITHSCORES')
  for index = 1, #open, 2 do
    local cost, made_in = string.match(open[index], ':(%d+):(%d+):%d$')
    if tonumber(made_in) == window then
      local expires_at = tonumber(open[index + 1])
      cell.held = cell.held + tonumber(cost)
      if cell.held_next == 0 then cell.held_next = expires_at end
      cell.held_last = math.max(cell.held_last, expires_at)
    end
  end
end

-- A charge that was kept is given back by the numbers that it was charged under: a, b and c of the
-- last are remembered, and until when charges under others may count. By then nothing is given back,
-- for nobody knows whose is whose, and `keep` says that it is charged anyway.
local function holds_keep(cell, limit, now)
  cell.force = { limit.a, limit.b, limit.c, limit.d }
  local algorithm, last = limit.algorithm, cell.kept
  if not algorithm.as_charged then return end
  local mixed_until = last and last[4] or 0
  if last and (last[1] ~= limit.a or last[2] ~= limit.b or last[3] ~= limit.c) then
    local recovery_us = algorithm.recovery_us
    local longest = math.max(recovery_us({ a = last[1], b = last[2], c = last[3] }), recovery_us(limit))
    mixed_until = math.max(mixed_until, now + longest)
  end
  cell.kept = { limit.a, limit.b, limit.c, mixed_until }
end

-- The limit to give back by; nil where that is not known.
local function holds_kept(cell, limit, now)
  local last = cell.kept
  if not last then return limit end
  if now < last[4] then return nil end
  return { a = last[1], b = last[2], c = last[3] }
end

-- Takes off what has expired, at most a thousand a call; what is to be kept is charged as reserved,
-- at the time it expired.
local function holds_expire(cell, limit, holds_key, now)
  local algorithm = limit.algorithm
  local due =
    redis.call('ZRANGEBYSCORE', holds_key, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1000)
  for index = 1, #due, 2 do
    local member, expired_at = due[index], tonumber(due[index + 1])
    local cost, window, keep = string.match(member, ':(%d+):(%d+):(%d)$')
    window = tonumber(window)
    if cell.stored and window == holds_window(limit, cell.stored) then
      cell.held, cell.limit = math.max(0, cell.held - cost), limit
      local state = algorithm.load(cell.stored, limit, expired_at)
      if keep == '1' and window == holds_window(limit, state) then
        cell.stored = algorithm.charge(state, limit, tonumber(cost), expired_at)
        holds_keep(cell, limit, now)
      end
    end
    redis.call('ZREM', holds_key, member)
  end
  holds_refresh(cell, holds_key)
end
