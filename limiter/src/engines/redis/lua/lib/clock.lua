-- The server's clock is the only one: no time is ever taken from a caller.

local function clock_now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- A second longer than the state means anything: nothing relies on a key being gone in time.
local function clock_ttl_ms(until_us, now)
  local left_us = until_us - now
  if left_us <= 0 then return 1000 end
  return (left_us - left_us % 1000) / 1000 + 1001
end
