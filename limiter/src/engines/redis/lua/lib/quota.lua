-- Twin of core/algorithms/quota.ts. limit: a = limit, b and c = this period, c and d = the next:
-- the caller knows the calendar, the server's clock picks.

local function quota_load(stored, limit, now)
  if stored and now < stored.stop then return stored end
  -- The caller's clock is off by more than a period: it must look at its calendar again.
  local outside = now < limit.b or now >= limit.d
  if now < limit.c then return { start = limit.b, stop = limit.c, used = 0, outside = outside } end
  return { start = limit.c, stop = limit.d, used = 0, outside = outside }
end

algorithms['3'] = window_algorithm(quota_load)
