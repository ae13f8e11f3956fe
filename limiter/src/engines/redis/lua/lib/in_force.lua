-- A reservation or a charge is remembered with the numbers of its time. What is done to a counter
-- later goes by those in force: as it says itself, or as far as its state tells.

local function limit_in_force(limit, cell)
  local force, stored, window_of = cell.force, cell.stored, limit.algorithm.window_of
  if force then
    limit.a, limit.b, limit.c, limit.d = force[1], force[2], force[3], force[4]
  elseif stored and window_of then
    limit.b = window_of(stored, limit)
  end
  -- Under other numbers it may have to be kept for longer.
  cell.lasts = true
end
