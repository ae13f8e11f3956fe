-- Twin of core/algorithms/fixed-window.ts. limit: a = limit, b = window_us, c = 1 from the first
-- request, 0 aligned to the clock.

local function fixed_window_load(stored, limit, now)
  if stored then
    local stop = math.min(stored[2], stored[1] + limit.b)
    if now < stop then
      if stop == stored[2] then return stored end
      return { stored[1], stop, stored[3] }
    end
  end
  local start = now
  if limit.c == 0 then start = now - math.fmod(now, limit.b) end
  return { start, start + limit.b, 0 }
end

algorithms['2'] = window_algorithm(fixed_window_load)
