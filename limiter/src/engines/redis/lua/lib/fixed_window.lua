-- Twin of core/algorithms/fixed-window.ts. limit: a = limit, b = window_us, c = 1 from the first
-- request, 0 aligned to the clock.

local function fixed_window_load(stored, limit, now)
  local stop = 0
  if stored then
    local ends = stored[2]
    stop = stored[1] + limit.b
    if stop >= ends then
      if now < ends then return stored end
      stop = ends
    elseif now < stop then
      return { stored[1], stop, stored[3] }
    end
  end
  if limit.c == 1 then return { now, now + limit.b, 0 } end
  local start = now - now % limit.b
  return { math.max(start, stop), start + limit.b, 0 }
end

algorithms[2] = window_algorithm(fixed_window_load)
