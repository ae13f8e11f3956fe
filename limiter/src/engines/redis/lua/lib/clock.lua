-- The server's clock is the only one: no time is ever taken from a caller.

local function clock_now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- A second longer than the state means anything: nothing relies on a key being gone in time.
local function clock_ttl_ms(until_us, now)
  local ttl_ms = math.ceil((until_us - now) / 1000) + 1000
  if ttl_ms < 1000 then return 1000 end
  return ttl_ms
end
