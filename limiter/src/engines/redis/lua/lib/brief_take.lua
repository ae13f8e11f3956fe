-- What becomes of one counter, for the short ways of `brief.lua` and `run.lua`: they have no cells.

-- What becomes of a counter that is asked: the text to keep, false where it is refused, nil where no
-- period of a quota is the current one; when that expires, nil where it stays as it was; and the state.
local function brief_take(limit)
  local algorithm, amount = limit.algorithm, limit.amount
  return function(value, now)
    local stored = value and algorithm.decode(value)
    local state, beyond = algorithm.load(stored, limit, now)
    if beyond then return nil end
    local text, expires_at = false, nil
    if algorithm.admits(state, limit, amount, now) then
      state = algorithm.charge(state, limit, amount, now)
      text, expires_at = algorithm.encode(state, limit)
      if algorithm.ends and state == stored then expires_at = nil end
    end
    return text, expires_at, state[1], state[2], state[3], state[4]
  end
end

-- The algorithm's own word for it, where it has one.
local function brief_taker(limit)
  local brief = limit.algorithm.brief
  return brief and brief(limit) or brief_take(limit)
end
