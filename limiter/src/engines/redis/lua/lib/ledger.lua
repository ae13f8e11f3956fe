-- Exact counts by minute, outcome and label in one hash per tenant, for a drainer to move.

local LEDGER_TTL_MS = 259200000

local function ledger_add(key, field, count)
  -- A new hash has its first field at exactly the count: then, and maybe more often, it gets its
  -- expiry. Counts only rise, so that no hash is missed.
  if redis.call('HINCRBY', key, field, count) == count then
    redis.call('PEXPIRE', key, LEDGER_TTL_MS)
  end
end

-- What was let in of a form, mostly the only one of a call.
local function ledger_write_form(form, now)
  local admitted, warned = form.admitted, form.warned
  if not form.label or admitted + warned == 0 then return end
  local key, minute = form.ledger_key, string.format('%d:', math.floor(now / 60000000))
  if admitted > 0 then ledger_add(key, minute .. 'a:' .. form.label, admitted) end
  if warned > 0 then ledger_add(key, minute .. 'w:' .. form.label, warned) end
end

-- What was let in of each. Forms that are counted alike are added at once.
local function ledger_write(forms, now)
  if not forms[2] then
    if forms[1] then ledger_write_form(forms[1], now) end
    return
  end
  local key, counts = nil, {}
  for index = 1, #forms do
    local form = forms[index]
    local admitted, warned = form.admitted, form.warned
    if form.label and admitted + warned > 0 then
      local as_admitted, as_warned = 'a:' .. form.label, 'w:' .. form.label
      key = form.ledger_key
      counts[as_admitted] = (counts[as_admitted] or 0) + admitted
      counts[as_warned] = (counts[as_warned] or 0) + warned
    end
  end
  local minute = string.format('%d:', math.floor(now / 60000000))
  for field, count in pairs(counts) do
    if count > 0 then ledger_add(key, minute .. field, count) end
  end
end
