-- A bucket as `brief.lua` and `run.lua` ask for it, where each token takes a whole number of
-- microseconds, as it mostly does: then there are no fractions, and three sums decide. As
-- token_bucket.lua, of which this says again what is left without fractions: the table of a state,
-- and five calls to fill it in, cost as much as a command.

algorithms[1].brief = function(limit)
  local taken, whole = limit.amount * limit.c, limit.a * limit.c
  if limit.b > 1 then return nil end
  return function(value, now)
    local empty_at = now - whole
    if value then
      local stored = #value < 18 and tonumber(value)
      -- Another limit's, with a fraction.
      if not stored then return brief_take(limit)(value, now) end
      if stored > empty_at then empty_at = stored end
    end
    local after = empty_at + taken
    if after > now then return false, nil, empty_at, 0 end
    return string.format('%d', after), after + whole + 2, after, 0
  end
end
