-- Decides the questions of one tenant in order, each all or none: every enforced limit admits and
-- all are charged, or none is. Shadow and warn limits are charged on their own verdict and never
-- influence the others.
--
-- KEYS   the strings to read (the epoch first, where there is one), then all other keys
-- ARGV   1  "strings questions"
--        +  "tenant.shared valid_until confirmed"           with epoch
--        +  "key max"                                       with allowance: new counters, or 0 0
--        each question:
--        +  "limits peek,ledger,record,reserve,slots"       a count and flags
--        +  "ledger_key label"                              with ledger
--        +  "record_key ttl_ms allowance_key max", fingerprint, id, layout     with record
--        +  "record_key ttl_us keep id", blob               with reserve
--        +  id                                              with slots
--        each limit:
--        +  "algorithm,shadow,counted key cost a b c d"
--        +  "key block_us growth max_us", or "-"            with penalty
--        +  "holds_key"                                     with reserve
-- Reply  now, then for each question: 1 allowed, 0 refused, 4 allowed but not recorded, and the
--        readings; 2 id same_layout now n readings: a replay; 3 the key had another question.
--        Instead of all that: -1 now stale, -2 now unknown, -3 now keys: no room for new counters,
--        -4 now keys: holds have expired. No counter was changed then.
-- A reading is its verdict (0 ok, 1 exceeded, 2 impossible, 3 penalty; +10 with holds, +20 in
-- penalty), [held, held until], [blocked until] and the algorithm's own numbers.

local strings, question_count = string.match(ARGV[1], '^(%d+) (%d+)$')
strings, question_count = tonumber(strings), tonumber(question_count)
local at = 1
local function next_argument()
  at = at + 1
  return ARGV[at]
end

local values = {}
if strings > 0 then values = redis.call('MGET', unpack(KEYS, 1, strings)) end
local now = clock_now()
local reply = { now }

if epoch_check then
  local problem = epoch_check(KEYS[1], values[1], next_argument(), now)
  if problem then return { problem, now } end
end

local allowance_key, allowance_max
if allowance_left then
  allowance_key, allowance_max = string.match(next_argument(), '^(%d+) (%d+)$')
  allowance_key, allowance_max = tonumber(allowance_key), tonumber(allowance_max)
end

local cells, touched = {}, {}
local marks, struck = {}, {}
local due, writes = {}, {}

local function weigh(limit, peek)
  local algorithm, cell = limit.algorithm, cells[limit.key]
  if not cell then
    cell = cell_open(limit, values[limit.key])
    cells[limit.key] = cell
  end
  limit.cell = cell
  local state = algorithm.load(cell.stored, limit, now)
  limit.state, limit.held = state, 0
  if cell.held > 0 and not cell_rolled(cell, limit, state) then
    limit.held = cell.held
    if cell.held_next <= now then due[#due + 1] = limit.key end
  end
  local amount = limit.cost
  if algorithm.slots then amount = math.min(amount, 1) end
  limit.amount, limit.blocked_until = amount, 0
  if limit.mark_key then limit.blocked_until = penalty_blocked_until(marks[limit.mark_key], now) end
  if amount > limit.a then return 2 end
  if limit.blocked_until > 0 and (amount > 0 or peek) then return 3 end
  if amount > 0 then
    if not algorithm.admits(state, limit, amount + limit.held, now) then return 1 end
  elseif peek and not algorithm.slots and not algorithm.admits(state, limit, 0, now) then
    return 1
  end
  return 0
end

local function charge(limit, question)
  local cell, algorithm = limit.cell, limit.algorithm
  if not cell.limit then touched[#touched + 1] = limit.key end
  if question.reserve and not algorithm.slots then
    cell_store(cell, limit, limit.state)
    question.reserve(limit)
    limit.held = cell.held
  else
    limit.state = algorithm.charge(limit.state, limit, limit.amount, now, question.id)
    cell_store(cell, limit, limit.state)
  end
end

local function strike(limit)
  local key = limit.mark_key
  marks[key] = penalty_strike(marks[key], limit.block_us, limit.growth, limit.block_max_us, now)
  limit.blocked_until = marks[key].until_us
  struck[key] = true
end

local function read(readings, limit)
  local verdict, held = limit.verdict, limit.held > 0
  if held then verdict = verdict + 10 end
  if limit.blocked_until > 0 then verdict = verdict + 20 end
  readings[#readings + 1] = verdict
  if held then
    readings[#readings + 1] = limit.held
    readings[#readings + 1] = limit.cell.held_last
  end
  if limit.blocked_until > 0 then readings[#readings + 1] = limit.blocked_until end
  limit.algorithm.read(readings, limit.state, limit, limit.amount + limit.held, now)
end

for _ = 1, question_count do
  local count, peek, ledger, record, reserve, slots =
    string.match(next_argument(), '^(%d+) (%d)(%d)(%d)(%d)(%d)$')
  peek = peek == '1'
  local question = {}
  if ledger == '1' then
    question.ledger_key, question.label = string.match(next_argument(), '^(%d+) (.*)$')
  end
  if record == '1' then
    question.record_key, question.record_ttl_ms, question.record_allowance, question.record_max =
      string.match(next_argument(), '^(%d+) (%d+) (%d+) (%d+)$')
    question.fingerprint, question.id = next_argument(), next_argument()
    question.layout = next_argument()
    question.recorded = values[tonumber(question.record_key)]
  end
  if reserve == '1' then reservation_prepare(question, next_argument, now, writes) end
  if slots == '1' then question.id = next_argument() end

  local limits, allowed, warned = {}, true, false
  for index = 1, tonumber(count) do
    local limit = limit_parse(next_argument())
    limits[index] = limit
    if penalty_strike then
      local key, block_us, growth, max_us = string.match(next_argument(), '^(%d+) (%d+) (%d+) (%d+)$')
      if key then
        limit.mark_key = tonumber(key)
        limit.block_us, limit.growth = tonumber(block_us), tonumber(growth)
        limit.block_max_us = tonumber(max_us)
        local value = values[limit.mark_key]
        if value and not marks[limit.mark_key] then marks[limit.mark_key] = penalty_decode(value) end
      end
    end
    if reserve == '1' then limit.holds_key = KEYS[tonumber(next_argument())] end
  end

  if question.recorded and not peek then
    records_replay(reply, question.recorded, question.fingerprint, question.layout)
  else
    for _, limit in ipairs(limits) do
      limit.verdict = weigh(limit, peek)
      if limit.verdict > 0 then
        if limit.enforced then allowed = false else warned = true end
      end
    end
    local readings = {}
    for _, limit in ipairs(limits) do
      if not peek then
        if limit.verdict == 1 and limit.mark_key then strike(limit) end
        -- Slots and holds are given back by whoever was let in; nobody would give back the others.
        local alone = not limit.enforced and not limit.algorithm.slots and not question.reserve
        if limit.verdict == 0 and limit.cost > 0 and (allowed or alone) then
          charge(limit, question)
        end
      end
      read(readings, limit)
    end
    local status = allowed and 1 or 0
    if allowed and not peek then
      if question.reserve then question.reserve_record(limits) end
      if question.label then
        local field = ledger_field(now, warned and 'w' or 'a', question.label)
        local key = KEYS[tonumber(question.ledger_key)]
        writes[#writes + 1] = function() ledger_add(key, field, 1) end
      end
      if question.record_key then
        local key = tonumber(question.record_key)
        local allowance = KEYS[tonumber(question.record_allowance)]
        if allowance_left(allowance, tonumber(question.record_max)) < 1 then
          status = 4
        else
          local packed =
            records_pack(question.fingerprint, question.id, question.layout, now, readings)
          values[key] = packed
          writes[#writes + 1] = function()
            allowance_take(allowance, 1)
            redis.call('PSETEX', KEYS[key], tonumber(question.record_ttl_ms), packed)
          end
        end
      end
    end
    reply[#reply + 1] = status
    for _, number in ipairs(readings) do reply[#reply + 1] = number end
  end
end

if #due > 0 then return { -4, now, unpack(due) } end

if allowance_key and allowance_key > 0 then
  local created = {}
  for _, key in ipairs(touched) do
    local cell = cells[key]
    if cell.limit.counted and not cell.exists then created[#created + 1] = key end
  end
  if #created > 0 then
    local key = KEYS[allowance_key]
    if allowance_left(key, allowance_max) < #created then
      return { -3, now, unpack(created) }
    end
    allowance_take(key, #created)
  end
end

for _, key in ipairs(touched) do cell_save(cells[key], now) end
for key in pairs(struck) do penalty_save(KEYS[key], marks[key], now) end
for _, write in ipairs(writes) do write() end
return reply
