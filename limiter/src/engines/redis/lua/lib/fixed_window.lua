-- Twin of core/algorithms/fixed-window.ts. limit: a = limit, b = window_us, c = 1 from the first
-- request, 0 aligned to the clock.

local function fixed_window_load(stored, limit, now)
  if stored then
    local stop = min(stored.stop, stored.start + limit.b)
    if now < stop then
      if stop == stored.stop then return stored end
      return { start = stored.start, stop = stop, used = stored.used }
    end
  end
  local start = now
  if limit.c == 0 then start = now - fmod(now, limit.b) end
  return { start = start, stop = start + limit.b, used = 0 }
end

algorithms['2'] = window_algorithm(fixed_window_load)
