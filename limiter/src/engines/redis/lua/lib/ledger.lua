-- Exact counts by minute, outcome and label in one hash per tenant, for a drainer to move.

local LEDGER_TTL_MS = 259200000

local function ledger_add(key, field, count)
  -- A new hash has its first field at exactly the count: then, and maybe more often, it gets its
  -- expiry. Counts only rise, so that no hash is missed.
  if redis.call('HINCRBY', key, field, count) == count then
    redis.call('PEXPIRE', key, LEDGER_TTL_MS)
  end
end

-- What this call counts, by outcome and label: questions that are counted alike are added at once.
local ledger_counts

local function ledger_count(form, now, outcome, writes)
  local field = outcome .. ':' .. form.label
  if ledger_counts then
    ledger_counts[field] = (ledger_counts[field] or 0) + 1
    return
  end
  ledger_counts = { [field] = 1 }
  local key = form.ledger_key
  writes[#writes + 1] = function()
    local minute = string.format('%d:', math.floor(now / 60000000))
    for counted, count in pairs(ledger_counts) do ledger_add(key, minute .. counted, count) end
  end
end
