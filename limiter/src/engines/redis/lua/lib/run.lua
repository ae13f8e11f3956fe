-- The short way for a call of one tenant whose questions all ask one thing of one limit and differ by
-- their keys alone, as lists of checks and checks that travel together mostly do. `decide.lua` has cells,
-- forms and lists of what is to be written, for all that a call may ask; here locals do. Who is let in is
-- the algorithm's word both ways, and what is written and answered is the same.

-- The reply; nil where the call has to go the long way. All is read and decided before anything is
-- written, so that nothing was done then. `at` and `argument` are where the run stands.
local function run_decide(numbers, at, argument, reply, now)
  local before, count = numbers[at + 2], numbers[at + 3]
  local form = form_read(numbers, at + 3, argument)
  local limit, call, keys, n = form[1], redis.call, KEYS, 1
  local take, refused = brief_taker(limit), limit.enforced and 0 or 1
  local admitted, warned = 0, 0
  -- What is to be kept of each, and when that expires; of those asked twice, the last.
  local texts, expiries, order, writes = {}, {}, {}, 0
  local created = nil

  for index = before + 1, before + count do
    local name = keys[index]
    local value = texts[name]
    if value == nil then
      value = call('GET', name)
      -- Something is held of it.
      if value and #value > CELL_BARE_MAX then return nil end
    end
    local text, expires_at, first, second, third, fourth = take(value, now)
    local status, verdict = 1, 0
    if text then
      admitted = admitted + 1
      if not value then
        created = created or {}
        created[#created + 1] = name
      end
      if texts[name] == nil then
        writes = writes + 1
        order[writes] = name
      end
      texts[name] = text
      if expires_at then expiries[name] = expires_at end
    elseif text == nil then
      return nil
    else
      status, verdict, warned = refused, 1, warned + refused
    end
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = status, verdict, first, second
    n = n + 4
    -- A state has two to four numbers.
    if third then
      n = n + 1
      reply[n] = third
      if fourth then
        n = n + 1
        reply[n] = fourth
      end
    end
  end

  if created and limit.counted and numbers[1] >= 0 then
    local allowance, weight = keys[#keys], 0
    for index = 1, #created do
      weight = weight + math.min(clock_ttl_ms(expiries[created[index]], now), ALLOWANCE_WINDOW_MS)
    end
    if allowance_left(allowance, numbers[1] * ALLOWANCE_WINDOW_MS) < weight then return nil end
    allowance_take(allowance, weight)
  end
  local format = string.format
  for index = 1, writes do
    local name = order[index]
    local expires_at = expiries[name]
    if expires_at then
      call('PSETEX', name, format('%d', clock_ttl_ms(expires_at, now)), texts[name])
    else
      call('SET', name, texts[name], 'KEEPTTL')
    end
  end
  if form.label then
    form.admitted, form.warned = admitted, warned
    ledger_write_form(form, now)
  end
  return reply
end
