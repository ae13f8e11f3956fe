-- A form is all that questions may have in common: what they ask for, and of each limit its numbers
-- and the cost. Questions of one call mostly have one, which is read once. It is the list of its
-- limits, with flags as fields where there are any; each question fills those limits in anew.
-- All fields of a table are named when it is made: growing it later costs more than making it.

-- The form that stands behind `at` in the numbers, and where it and its texts in ARGV end.
local function form_read(numbers, at, argument)
  local form, flags, count = nil, numbers[at + 1], numbers[at + 2]
  at = at + 2
  if flags == '0000000' then
    form = { ends_at = 0 }
  else
    local peek, ledger, record, reserve, slots, elsewhere, charge =
      string.match(flags, '(%d)(%d)(%d)(%d)(%d)(%d)(%d)')
    form = {
      peek = peek == '1', ledger_key = nil, label = nil, record = record == '1',
      reserve = reserve == '1', slots = slots == '1', elsewhere = elsewhere, charge = charge == '1',
      admitted = 0, warned = 0, is_past = false, ledger_at = 0, ends_at = 0,
    }
    if record .. reserve .. slots .. charge ~= '0000' then form.own = true end
    if ledger == '1' then
      at, argument = at + 1, argument + 1
      form.ledger_at = numbers[at]
      local base = company and company.base or 0
      form.ledger_key, form.label = KEYS[base + form.ledger_at], ARGV[argument]
    end
  end
  for index = 1, count do
    local algorithm, standing, cost = algorithms[numbers[at + 1]], numbers[at + 2], numbers[at + 3]
    local amount = cost
    if amount > 1 and algorithm.slots then amount = 1 end
    local limit = {
      algorithm = algorithm, enforced = standing % 4 < 2, counted = standing % 2 == 1,
      cost = cost, amount = amount, more = standing >= 4,
      a = numbers[at + 4], b = numbers[at + 5], c = numbers[at + 6], d = numbers[at + 7],
      key = 0, cell = false, state = false, held = 0, blocked_until = 0, verdict = 0,
    }
    at = at + 7
    if standing >= 8 then limit.holds = true end
    if standing % 8 >= 4 then
      limit.block_us, limit.growth, limit.block_max_us =
        numbers[at + 1], numbers[at + 2], numbers[at + 3]
      at = at + 3
    end
    form[index] = limit
  end
  form.ends_at = at
  return form, at, argument
end
