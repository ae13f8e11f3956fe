-- What open reservations hold of a counter: their sum and ends in the cell, and each of them as
-- "id:cost:window:keep" in a sorted set by expiry beside it.

local function holds_window(limit, state)
  if limit.algorithm.windowed then return state.start end
  return 0
end

local function holds_member(id, cost, window, keep)
  return string.format('%s:%.0f:%.0f:%s', id, cost, window, keep)
end

local function holds_add(holds_key, member, expires_at, last, now)
  redis.call('ZADD', holds_key, expires_at, member)
  local ttl_ms = clock_ttl_ms(last, now)
  if redis.call('PTTL', holds_key) < ttl_ms then redis.call('PEXPIRE', holds_key, ttl_ms) end
end

-- After members were taken off: when the next one ends.
local function holds_refresh(cell, holds_key)
  local first = redis.call('ZRANGE', holds_key, 0, 0, 'WITHSCORES')
  cell.held_next = tonumber(first[2] or 0)
  if not first[1] then cell.held, cell.held_last = 0, 0 end
end

-- Takes off what has expired, at most a thousand a call; what is to be kept is charged as reserved.
local function holds_expire(cell, limit, holds_key, now)
  local due = redis.call('ZRANGEBYSCORE', holds_key, '-inf', now, 'LIMIT', 0, 1000)
  for _, member in ipairs(due) do
    local cost, window, keep = string.match(member, ':(%d+):(%d+):(%d)$')
    local state = limit.algorithm.load(cell.stored, limit, now)
    if tonumber(window) == holds_window(limit, state) then
      cell.held = math.max(0, cell.held - cost)
      if keep == '1' then state = limit.algorithm.charge(state, limit, tonumber(cost), now) end
      cell_store(cell, limit, state)
    end
  end
  if #due > 0 then redis.call('ZREM', holds_key, unpack(due)) end
  holds_refresh(cell, holds_key)
end
