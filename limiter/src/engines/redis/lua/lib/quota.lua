-- Twin of core/algorithms/quota.ts. limit: a = limit, b and c = this period, c and d = the next:
-- the caller knows the calendar, the server's clock picks.

local function quota_load(stored, limit, now)
  if stored and now < stored.stop then return stored end
  if now < limit.c then return { start = limit.b, stop = limit.c, used = 0 } end
  return { start = limit.c, stop = limit.d, used = 0 }
end

algorithms['3'] = window_algorithm(quota_load)
