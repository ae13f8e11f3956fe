-- Decides the questions of one tenant in order, each all or none: every enforced limit admits and
-- all are charged, or none is. Shadow and warn limits are charged on their own verdict and never
-- influence the others. Reads as it goes, writes at the end.
--
-- KEYS   every key of the call; the epoch first, where there is one
-- ARGV   1  "questions allowance_key allowance_max"          0 0 without an allowance
--        +  "tenant.shared valid_until confirmed"            with epoch
--        each question:
--        +  "limits peek,ledger,record,reserve,slots"        a count and flags
--        +  "ledger_key label"                               with ledger
--        +  "record_key ttl_ms allowance_key max", fingerprint, id, layout     with record
--        +  "record_key ttl_us keep id", blob                with reserve
--        +  id                                               with slots
--        each limit:
--        +  "algorithm,shadow,counted key cost a b c d", and where it applies
--           " pkey block_us growth max_us" for a penalty, " hkey" for what reservations hold
-- Reply  now, then for each question: 1 allowed, 0 refused, 4 allowed but not recorded, and the
--        readings; 2 id same_layout now n readings: a replay; 3 the key had another question.
--        Instead of all that: -1 now stale, -2 now unknown, -3 now keys: no room for new counters,
--        -4 now keys: holds have expired, -5 now: no period of a quota is the current one. No
--        counter was changed then.
-- A reading is its verdict (0 ok, 1 exceeded, 2 impossible, 3 penalty; +10 with holds, +20 in
-- penalty), [held, held until], [blocked until] and the algorithm's own numbers.

local question_count, allowance_key, allowance_max = match(ARGV[1], '^(%d+) (%d+) (%d+)$')
local at, n = 1, 1
local now = clock_now()
local reply = { now, nil, nil, nil, nil, nil, nil, nil }

if epoch_check then
  at = 2
  local problem = epoch_check(KEYS[1], call('GET', KEYS[1]), ARGV[2], now)
  if problem then return { problem, now } end
end

local cells, touched = {}, {}
local created, due, writes, outside

local function later(write)
  writes = writes or {}
  writes[#writes + 1] = write
end

local function weigh(limit, peek)
  local algorithm, cell, amount = limit.algorithm, cells[limit.key], limit.cost
  if not cell then
    cell = cell_open(limit)
    cells[limit.key] = cell
  end
  local state = algorithm.load(cell.stored, limit, now)
  if state.outside then outside = true end
  if amount > 1 and algorithm.slots then amount = 1 end
  limit.cell, limit.state, limit.amount = cell, state, amount
  if cell.held > 0 then
    if cell.held_next <= now then
      due = due or {}
      due[#due + 1] = limit.key
    end
    if not cell_rolled(cell, limit, state) then limit.held = cell.held end
  end
  if limit.more ~= '' then
    local holds_key = match(limit.more, ' h(%d+)$')
    limit.holds_key = holds_key and KEYS[tonumber(holds_key)]
    if byte(limit.more, 2) == 112 then penalty_open(limit, now) end
  end
  if amount > limit.a then return 2 end
  if limit.blocked_until > 0 and (amount > 0 or peek) then return 3 end
  if amount > 0 then
    if algorithm.admits(state, limit, amount + limit.held, now) then return 0 end
    return 1
  end
  if peek and not algorithm.slots and not algorithm.admits(state, limit, 0, now) then return 1 end
  return 0
end

local function charge(limit, question)
  local cell, algorithm = limit.cell, limit.algorithm
  if not cell.limit then
    touched[#touched + 1] = cell
    if limit.counted and not (cell.exists or limit.state.exists) then
      created = created or {}
      created[#created + 1] = limit.key
    end
  end
  if question and question.reserve and not algorithm.slots then
    cell_store(cell, limit, limit.state)
    question.reserve(limit)
    limit.held = cell.held
  else
    limit.state = algorithm.charge(limit.state, limit, limit.amount, now, question and question.id)
    cell_store(cell, limit, limit.state)
  end
end

local function read(limit)
  local verdict, held, blocked_until = limit.verdict, limit.held, limit.blocked_until
  n = n + 1
  reply[n] = verdict
  if held > 0 then
    reply[n], reply[n + 1], reply[n + 2] = verdict + 10, held, limit.cell.held_last
    n = n + 2
  end
  if blocked_until > 0 then
    reply[n - (held > 0 and 2 or 0)] = verdict + (held > 0 and 30 or 20)
    n = n + 1
    reply[n] = blocked_until
  end
  n = limit.algorithm.read(reply, n, limit.state, limit, limit.amount + held, now)
end

-- Slots and holds are given back by whoever was let in; nobody would give back the others.
local function counts_alone(limit, question)
  return not (limit.enforced or limit.algorithm.slots or (question and question.reserve))
end

for _ = 1, question_count do
  at = at + 1
  local count, flags = match(ARGV[at], '^(%d+) (%d+)$')
  local question, peek
  if flags ~= '00000' then
    local ledger, record, reserve, slots
    peek, ledger, record, reserve, slots = match(flags, '(%d)(%d)(%d)(%d)(%d)')
    peek, question = peek == '1', {}
    if ledger == '1' then at = ledger_open(question, at) end
    if record == '1' then at = records_open(question, at) end
    if reserve == '1' then at = reservation_open(question, at, now, later) end
    if slots == '1' then
      at = at + 1
      question.id = ARGV[at]
    end
  end
  local limits, allowed, warned = {}, true, false
  for index = 1, count do
    at = at + 1
    limits[index] = limit_parse(ARGV[at])
  end
  if question and question.recorded and not peek then
    n = records_replay(reply, n, question)
  else
    for index = 1, count do
      local limit = limits[index]
      local verdict = weigh(limit, peek)
      if verdict > 0 then
        limit.verdict = verdict
        if limit.enforced then allowed = false else warned = true end
      end
    end
    n = n + 1
    local status_at = n
    reply[n] = allowed and 1 or 0
    for index = 1, count do
      local limit = limits[index]
      if peek then
        -- Nothing is written.
      elseif limit.verdict == 0 then
        if limit.cost > 0 and (allowed or counts_alone(limit, question)) then
          charge(limit, question)
        end
      elseif limit.verdict == 1 and limit.mark then
        penalty_strike(limit, now, later)
      end
      read(limit)
    end
    if question and allowed and not peek then
      if question.reserve then question.reserve_record(limits) end
      if question.label then ledger_count(question, now, warned and 'w' or 'a', later) end
      if question.record_key then records_keep(question, now, reply, status_at, n, later) end
    end
  end
end

if outside then return { -5, now } end
if due then return { -4, now, unpack(due) } end

if created and allowance_key ~= '0' then
  local key, weight = KEYS[tonumber(allowance_key)], 0
  for index = 1, #created do weight = weight + allowance_weight(cells[created[index]], now) end
  if allowance_left(key, allowance_max * ALLOWANCE_WINDOW_MS) < weight then
    return { -3, now, unpack(created) }
  end
  allowance_take(key, weight)
end

for index = 1, #touched do cell_save(touched[index], now) end
if writes then
  for index = 1, #writes do writes[index]() end
end
return reply
