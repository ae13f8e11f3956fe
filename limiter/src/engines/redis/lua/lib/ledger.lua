-- Exact counts by minute, outcome and label in one hash per tenant, for a drainer to move.

local LEDGER_TTL_MS = 259200000

local function ledger_add(key, field, count)
  -- A new hash has its first field at exactly the count: then, and maybe more often, it gets its
  -- expiry. Counts only rise, so that no hash is missed.
  if call('HINCRBY', key, field, count) == count then
    call('PEXPIRE', key, LEDGER_TTL_MS)
  end
end

local function ledger_open(question, at)
  question.ledger_key, question.label = match(ARGV[at + 1], '^(%d+) (.*)$')
  return at + 1
end

local function ledger_count(question, now, outcome, later)
  local key = KEYS[tonumber(question.ledger_key)]
  local field = format('%.0f:%s:%s', floor(now / 60000000), outcome, question.label)
  later(function() ledger_add(key, field, 1) end)
end
