-- Decides the questions of one tenant in order, each all or none: every enforced limit admits and
-- all are charged, or none is. Shadow and warn limits are charged on their own verdict and never
-- influence the others. Reads as it goes, writes at the end.
--
-- KEYS   every key of the call: the epoch first and the allowance last, where there is one. Those of
--        a question's limits stand together: each counter, then the mark of its penalty, its holds
-- ARGV   1  a list of numbers: allowance_max (-1 without an allowance), swept_until (0 where no holds
--           were swept for this call), with epoch valid_until and confirmed (1 or 0), and questions of
--           one form that follow each other: the form, from 1, the position before their limits' keys,
--           how many they are, and where the form is new
--             "peek,ledger,record,reserve,slots,elsewhere,charge", limits   a text of flags, a count
--             ledger_key                                     with ledger
--             each limit: algorithm, standing, cost, a, b, c, d
--               block_us, growth, max_us                     with a penalty
--        +  "tenant.shared"                                  with epoch
--        each new form:
--        +  label                                            with ledger
--        each question:
--        +  "record_key ttl_ms allowance_key max", fingerprint, id, layout,
--           what another slot showed                         with record
--        +  "record_key ttl_us keep allowance_key max id", blob      with reserve
--        +  id                                               with slots
--        +  "record_key ttl_ms allowance_key max elsewhere", blob   with charge: it is kept
-- Standing: the sum of 1 counted, 2 shadow or warn, 4 with a penalty, 8 with holds.
-- Elsewhere: what another slot said of limits of the same question. 1 refused: so does this one,
-- whatever its own limits say; 2 a shadow or warn limit would have; 3 it is asked after this one,
-- and no penalty is due before it has spoken.
-- Reply  now, then for each question: 1 allowed, 0 refused, 4 allowed but not recorded, and the
--        readings; 2 id same_layout now n readings elsewhere: a replay; 3 the key had another question.
--        Instead of all that: -1 now stale, -2 now unknown, -3 now keys: no room for new counters,
--        -4 now keys: holds have expired, -5 now: no period of a quota is the current one, -6 now: too
--        many reservations were made. No counter was changed then.
-- A reading is its verdict (0 ok, 1 exceeded, 2 impossible, 3 penalty; +10 with holds, +20 in
-- penalty), [held, held until], [blocked until] and the algorithm's own numbers.

-- One piece, for every function that is made costs each call: what only some calls use is in `lib`.

local keys, base, now, n, reply, numbers, forms = KEYS, 0, clock_now(), 1, nil, nil, nil
if company then
  base, n, reply = company.base, company.n + 1, company.reply
  reply[n] = now
  numbers, forms = asked_alike(ARGV[1])
else
  reply = { now, nil, nil, nil, nil, nil, nil, nil }
  numbers, forms = cjson.decode(ARGV[1]), {}
end
local allowance_max, swept_until, last = numbers[1], numbers[2], #numbers
local at, argument = 2, 1
-- What has expired since the sweep counts on: a call that waits for all to be swept may never end.
local due_by = swept_until == 0 and now or swept_until

if epoch_check then
  at, argument = 4, 2
  local name = keys[base + 1]
  local problem =
    epoch_check(name, redis.call('GET', name), ARGV[2], numbers[3], numbers[4], now)
  if problem then return { problem, now } end
end

if run_decide then
  local answered = run_decide(numbers, at, argument, reply, now)
  if answered then return reply_packed and reply_packed(answered) or answered end
  -- What it left of a reply is written over, but for what may be longer.
  reply = { now, nil, nil, nil, nil, nil, nil, nil }
end

-- Most calls have one counter, and need no table of them.
local first_name, first_cell, cells = nil, nil, nil
local touched, touches, writes = company and company.touched or {}, 0, nil
local form, key, left = nil, 0, 0
local created, fresh, due, outside, crowded

while left > 0 or at < last do
  if left == 0 then
    local number = numbers[at + 1]
    form, key, left = forms[number], base + numbers[at + 2], numbers[at + 3]
    at = at + 3
    if not form then
      form, at, argument = form_read(numbers, at, argument)
      forms[number] = form
    elseif form.is_past then
      at, argument = form_again(form, argument)
    end
  end
  left = left - 1
  local question
  if form.own then
    question, writes = {}, writes or {}
    if form.record then argument = records_open(question, argument) end
    if form.reserve then argument = reservation_open(question, argument, now) end
    if form.slots then
      argument = argument + 1
      question.id = ARGV[argument]
    end
    if form.charge then argument = charge_open(question, argument) end
  end
  local peek, elsewhere, count = form.peek, form.elsewhere, #form
  local reserve = question and question.reserve
  local replayed = question and question.recorded and not peek
  local allowed, warned = elsewhere ~= '1', elsewhere == '2'

  -- Weigh every limit.
  if not replayed then
    for index = 1, count do
      local limit = form[index]
      local algorithm, amount, held = limit.algorithm, limit.amount, 0
      key = key + 1
      limit.key = key
      local name = keys[key]
      local cell = name == first_name and first_cell or cells and cells[name]
      if not cell then
        cell = cell_open(algorithm, name)
        if first_name then
          cells = cells or {}
          cells[name] = cell
        else
          first_name, first_cell = name, cell
        end
      end
      local state, beyond = algorithm.load(cell.stored, limit, now)
      if beyond then outside = true end
      if cell.held > 0 then
        if cell.held_next <= due_by then
          due = due or {}
          due[#due + 1] = key - base
        end
        if not cell_rolled(cell, limit, state) then held = cell.held end
      end
      limit.cell, limit.state, limit.held = cell, state, held
      if limit.more then
        if limit.block_us then
          key = key + 1
          penalty_open(limit, keys[key], now)
        end
        if limit.holds then
          key = key + 1
          limit.holds_key, limit.window = keys[key], nil
        end
      end
      local verdict = 0
      if amount > limit.a then
        verdict = 2
      elseif limit.blocked_until > 0 and (amount > 0 or peek) then
        verdict = 3
      elseif amount > 0 then
        if not algorithm.admits(state, limit, amount + held, now) then verdict = 1 end
      elseif peek and not algorithm.slots and not algorithm.admits(state, limit, 0, now) then
        verdict = 1
      end
      limit.verdict = verdict
      if verdict > 0 then
        if limit.enforced then allowed = false else warned = true end
      end
    end
  end

  if replayed then
    n = records_replay(reply, n, question)
  else
    n = n + 1
    local status_at = n
    reply[n] = allowed and 1 or 0

    -- Charge all or none, and read what is left.
    for index = 1, count do
      local limit = form[index]
      local algorithm, verdict = limit.algorithm, limit.verdict
      if verdict == 1 and limit.mark and not peek and elsewhere ~= '3' then
        writes = writes or {}
        penalty_strike(limit, now, writes)
      end
      -- Slots and holds are given back by whoever was let in; nobody would give back the others.
      local holds = limit.holds_key and not algorithm.slots
      local counts = allowed or not (limit.enforced or algorithm.slots or holds)
      if verdict == 0 and counts and limit.cost > 0 and not peek then
        local cell, state = limit.cell, limit.state
        if not cell.limit then
          touches = touches + 1
          touched[touches] = cell
          local stored = cell.stored
          if limit.counted and (not stored or stored.exists == false) then
            created, fresh = created or {}, fresh or {}
            created[#created + 1], fresh[#fresh + 1] = limit.key - base, cell
          end
        end
        if holds then
          cell_store(cell, limit, state)
          reserve(limit, writes)
          limit.held = cell.held
        else
          state = algorithm.charge(state, limit, limit.amount, now, question and question.id)
          limit.state = state
          if cell.held > 0 then cell_store(cell, limit, state) end
          cell.stored, cell.limit = state, limit
          if cell.force then cell.force = { limit.a, limit.b, limit.c, limit.d } end
        end
      end
      local held, blocked_until, verdict_at = limit.held, limit.blocked_until, n + 1
      n = verdict_at
      if held > 0 then
        verdict, reply[n + 1], reply[n + 2] = verdict + 10, held, limit.cell.held_last
        n = n + 2
      end
      if blocked_until > 0 then
        verdict, n = verdict + 20, n + 1
        reply[n] = blocked_until
      end
      reply[verdict_at] = verdict
      -- As `state_read`, which would cost a call each.
      local state, read = limit.state, algorithm.read
      if read then
        n = read(reply, n, state, limit, limit.amount + held, now)
      else
        for part = 1, #state do
          n = n + 1
          reply[n] = state[part]
        end
      end
    end

    if allowed and not peek then
      if question then
        if reserve and not question.reserve_record(form, writes) then crowded = true end
        if question.keep_charge then question.keep_charge(form, now, writes) end
        if question.record_key then records_keep(question, now, reply, status_at, n, writes) end
      end
      if form.label then
        if warned then form.warned = form.warned + 1 else form.admitted = form.admitted + 1 end
      end
    end
  end
end

if outside then return { -5, now } end
if due then return { -4, now, unpack(due) } end
if crowded then return { -6, now } end

if created and allowance_max >= 0 then
  local allowance, weight = keys[company and company.last or #keys], 0
  for index = 1, #fresh do weight = weight + allowance_weight(fresh[index], now) end
  if allowance_left(allowance, allowance_max * ALLOWANCE_WINDOW_MS) < weight then
    return { -3, now, unpack(created) }
  end
  allowance_take(allowance, weight)
end

for index = 1, touches do cell_save(touched[index], now) end
if ledger_write then ledger_write(forms, now) end
if writes then
  for index = 1, #writes do writes[index]() end
end
if company then
  company.n = n
  return nil
end
return reply_packed and reply_packed(reply) or reply
