-- The server's clock is the only one: no time is ever taken from a caller.

local function clock_now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- A second longer than the state means anything: nothing relies on a key being gone in time.
local function clock_ttl_ms(until_us, now)
  return math.max(1, math.ceil((until_us - now) / 1000)) + 1000
end
