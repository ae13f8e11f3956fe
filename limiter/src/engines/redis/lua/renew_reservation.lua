-- Holds a reservation for another while.
--
-- KEYS   the reservation's record, then for each of its limits the counter and its holds
-- ARGV   1 "id ttl_us limits", then for each limit "algorithm,shadow,counted key cost a b c d" with
--        the cost that was reserved
-- Reply  until when, or 0 when it was settled or has expired

local id, ttl_us, count = string.match(ARGV[1], '^(%S+) (%d+) (%d+)$')
local record = redis.call('GET', KEYS[1])
local keep, windows, ends_at, blob =
  string.match(record or '', '^open (%d) (%S*) (%d+) 0 |(.*)$')
local now = clock_now()
if not keep or tonumber(ends_at) <= now then return 0 end

local expires_at = now + tonumber(ttl_us)
local next_window = string.gmatch(windows, '[^,]+')
for index = 1, tonumber(count) do
  local limit = limit_parse(ARGV[index + 1])
  local window, holds_key = next_window(), KEYS[2 * index + 1]
  local member = window ~= '-' and holds_member(id, limit.cost, tonumber(window), keep)
  local score = member and redis.call('ZSCORE', holds_key, member)
  local cell, exists
  if score and tonumber(score) > now then cell, exists = cell_open(limit.algorithm, KEYS[limit.key]) end
  -- In a window that is over there is nothing left to hold.
  if exists and tonumber(window) == holds_window(limit, cell.stored) then
    limit_in_force(limit, cell)
    cell.held_last = math.max(cell.held_last or 0, expires_at)
    redis.call('ZADD', holds_key, expires_at, member)
    cell.held_next = tonumber(redis.call('ZRANGE', holds_key, 0, 0, 'WITHSCORES')[2])
    cell_store(cell, limit, cell.stored)
    cell_save(cell, now)
    holds_add(cell, holds_key, member, expires_at, now)
  end
end
local text = string.format('open %s %s %.0f 0 |%s', keep, windows, expires_at, blob)
redis.call('PSETEX', KEYS[1], clock_ttl_ms(expires_at + 86400000000, now), text)
return expires_at
