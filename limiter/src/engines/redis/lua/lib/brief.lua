-- The short way for calls of several tenants that ask one thing of one limit and have nothing of their own
-- but their keys, which is what nearly all of them are. `decide.lua` has cells, forms and lists of what is
-- to be written, for all that a call may ask; here locals do. Who is let in is the algorithm's word both
-- ways, and what is written and answered is the same.

-- What the calls ask alike. No form where they ask more.
local brief_form, brief_numbers, brief_counter_at, brief_field, brief_of = nil, nil, 0, nil, nil
-- The call being decided, how many keys stand before its own, and how much of the reply.
local brief_at, brief_base, brief_n = 1, 0, 0

-- Reads the arguments, unless they ask for more than goes this way.
local function brief_read()
  local numbers, forms = asked_alike(ARGV[1])
  local at, argument = 2, 1
  if epoch_check then at, argument = 4, 2 end
  -- One question.
  if numbers[at + 1] ~= 1 or numbers[at + 3] ~= 1 then return end
  local form = forms[1]
  if not form then
    form = form_read(numbers, at + 3, argument)
    forms[1] = form
  end
  if form.ends_at ~= #numbers or #form ~= 1 or form.peek then return end
  local limit = form[1]
  if not limit.algorithm.decode or limit.cost == 0 or limit.amount > limit.a then return end
  -- None of this comes in company; if it did, the long way would know it.
  if form.own or limit.more or (form.elsewhere or '0') ~= '0' then return end
  form.label = form.label and ARGV[argument + 1]
  brief_field = form.label and ledger_field(form.label, clock_now())
  brief_of = brief_taker(limit)
  brief_form, brief_numbers, brief_counter_at = form, numbers, numbers[at + 2] + 1
end

-- Decides the calls of the list that ask alike, from `at` on, until one is answered otherwise than
-- with a decision: that one's answer, or false where it has to go the long way. nil: all are decided.
local function brief_decide(list, at, base, n)
  brief_at, brief_base, brief_n = at, base, n
  if list[at + 1] > 0 then
    brief_form = nil
    brief_read()
  end
  local form, numbers, field = brief_form, brief_numbers, brief_field
  if not form then return false end
  local step, size = epoch_check and 3 or 2, #list
  local call, format, keys, reply, now = redis.call, string.format, KEYS, company.reply, clock_now()
  local limit, counter_at, ledger_at, take = form[1], brief_counter_at, form.ledger_at, brief_of
  local valid_until, allowance_max = numbers[3], limit.counted and numbers[1] or -1

  repeat
    brief_at, brief_base, brief_n = at, base, n
    if epoch_check then
      local name, mine = keys[base + 1], list[at + 2]
      local stored = call('GET', name)
      if stored ~= mine or now >= valid_until then
        local problem = epoch_check(name, stored, mine, valid_until, numbers[4], now)
        if problem then return { problem, now } end
      end
    end
    local name = keys[base + counter_at]
    local value = call('GET', name)
    -- Something is held of it.
    if value and #value > CELL_BARE_MAX then return false end
    local text, expires_at, first, second, third, fourth = take(value, now)
    local verdict, status = 0, 1
    if text then
      if expires_at then
        local ttl_ms = clock_ttl_ms(expires_at, now)
        if not value and allowance_max >= 0 then
          local allowance, weight = keys[base + list[at]], math.min(ttl_ms, ALLOWANCE_WINDOW_MS)
          if allowance_left(allowance, allowance_max * ALLOWANCE_WINDOW_MS) < weight then
            return { -3, now, counter_at }
          end
          allowance_take(allowance, weight)
        end
        call('PSETEX', name, format('%d', ttl_ms), text)
      else
        call('SET', name, text, 'KEEPTTL')
      end
      if field then
        local ledger = keys[base + ledger_at]
        if call('HINCRBY', ledger, field, '1') == 1 then call('PEXPIRE', ledger, LEDGER_TTL_MS) end
      end
    elseif text == nil then
      return { -5, now }
    else
      verdict = 1
      if limit.enforced then
        status = 0
      elseif field then
        form.ledger_key, form.admitted, form.warned = keys[base + ledger_at], 0, 1
        ledger_write_form(form, now)
      end
    end

    -- A state has two to four numbers.
    local parts = fourth and 4 or third and 3 or 2
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = parts + 3, now, status, verdict
    reply[n + 5], reply[n + 6] = first, second
    if third then
      reply[n + 7] = third
      if fourth then reply[n + 8] = fourth end
    end
    n, base, at = n + parts + 4, base + list[at], at + step
  until at > size or list[at + 1] > 0
  brief_at, brief_base, brief_n = at, base, n
  return nil
end
