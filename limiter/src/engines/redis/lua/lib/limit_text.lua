-- A limit as a text, for scripts that come later: "algorithm,shadow,counted key cost a b c d", and
-- what is told of a penalty behind it. Records keep it, so that it must stay readable.

local function limit_parse(text)
  local algorithm, shadow, counted, key, cost, a, b, c, d, more =
    string.match(text, '^(%d)(%d)(%d) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)(.*)')
  return {
    algorithm = algorithms[tonumber(algorithm)], enforced = shadow == '0', counted = counted == '1',
    key = tonumber(key), cost = tonumber(cost), more = more,
    a = tonumber(a), b = tonumber(b), c = tonumber(c), d = tonumber(d), blocked_until = 0,
  }
end
