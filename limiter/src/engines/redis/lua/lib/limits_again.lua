-- Of many questions most ask about the same limits: then the numbers of each are read once a call.
-- With few questions keeping them would cost more than it saves.

local limit_parse_anew, limits_known = limit_parse, {}

local function limit_parse(text)
  local algorithm, shadow, counted, key, cost, numbers =
    string.match(text, '^(%d)(%d)(%d) (%d+) (%d+) (.*)')
  local known = limits_known[numbers]
  if not known then
    known = limit_parse_anew(text)
    limits_known[numbers] = known
    return known
  end
  return {
    algorithm = algorithms[algorithm], enforced = shadow == '0', counted = counted == '1',
    key = tonumber(key), cost = tonumber(cost), more = known.more,
    a = known.a, b = known.b, c = known.c, d = known.d,
    cell = false, state = false, amount = 0, held = 0, blocked_until = 0, verdict = 0,
  }
end
