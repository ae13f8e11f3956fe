-- Exact counts by minute, outcome and label in one hash per tenant, for a drainer to move.

local LEDGER_TTL_MS = 259200000

local function ledger_add(key, field, count)
  -- A new hash has its first field at exactly the count: then, and maybe more often, it gets its
  -- expiry. Counts only rise, so that no hash is missed.
  if redis.call('HINCRBY', key, field, count) == count then
    redis.call('PEXPIRE', key, LEDGER_TTL_MS)
  end
end

local function ledger_open(question, at)
  question.ledger_key, question.label = string.match(ARGV[at + 1], '^(%d+) (.*)$')
  return at + 1
end

local function ledger_count(question, now, outcome, writes)
  local key = KEYS[tonumber(question.ledger_key)]
  local field = string.format('%.0f:%s:%s', math.floor(now / 60000000), outcome, question.label)
  writes[#writes + 1] = function() ledger_add(key, field, 1) end
end
