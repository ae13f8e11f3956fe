-- Twin of core/algorithms/quota.ts. limit: a = limit, b and c = this period, c and d = the next:
-- the caller knows the calendar, the server's clock picks.

-- With true where the caller's clock is off by more than a period: it must look at its calendar again.
local function quota_load(stored, limit, now)
  if stored and now < stored[2] then return stored end
  local state = { limit.c, limit.d, 0 }
  if now < limit.c then state = { limit.b, limit.c, 0 } end
  return state, now < limit.b or now >= limit.d
end

algorithms[3] = window_algorithm(quota_load)
