-- Exact counts by minute, outcome and label in one hash per tenant, for a drainer to move.

-- As text, as all numbers for Redis: see cells.lua.
local LEDGER_TTL_MS = '259200000'

local function ledger_add(key, field, count)
  -- A new hash has its first field at exactly the count: then, and maybe more often, it gets its
  -- expiry. Counts only rise, so that no hash is missed.
  local text = count == 1 and '1' or string.format('%d', count)
  if redis.call('HINCRBY', key, field, text) == count then
    redis.call('PEXPIRE', key, LEDGER_TTL_MS)
  end
end

-- Where those are counted that were let in. Of many tenants on one plan all have the same.
local function ledger_field(label, now)
  local known = company and company.fields
  local field = known and known[label]
  if not field then
    field = string.format('%d:a:%s', math.floor(now / 60000000), label)
    if known then known[label] = field end
  end
  return field
end

-- What was let in of a form, mostly the only one of a call.
local function ledger_write_form(form, now)
  local admitted, warned, label = form.admitted, form.warned, form.label
  if not label or admitted + warned == 0 then return end
  local field = ledger_field(label, now)
  if admitted > 0 then ledger_add(form.ledger_key, field, admitted) end
  if warned > 0 then
    ledger_add(form.ledger_key, string.gsub(field, ':a:', ':w:', 1), warned)
  end
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
