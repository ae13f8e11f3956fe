-- The answer to a question under an idempotency key: whose question it was, its id, the layout of
-- its limits, the raw numbers that were answered, and what another slot showed of it. Kept for the whole call, so that later
-- questions see what earlier ones did.

local records_kept = {}

local function records_open(question, at)
  local key, ttl_ms, allowance_key, max = string.match(ARGV[at + 1], '^(%d+) (%d+) (%d+) (%d+)$')
  question.record_key, question.record_ttl_ms = KEYS[tonumber(key)], tonumber(ttl_ms)
  question.record_allowance, question.record_max = KEYS[tonumber(allowance_key)], tonumber(max)
  question.fingerprint, question.id, question.layout = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  question.elsewhere = ARGV[at + 5]
  question.recorded =
    records_kept[question.record_key] or redis.call('GET', question.record_key)
  return at + 5
end

-- Appends the first answer to the reply, or says that the question was another.
local function records_replay(reply, n, question)
  local first = cmsgpack.unpack(question.recorded)
  if first[1] ~= question.fingerprint then
    reply[n + 1] = 3
    return n + 1
  end
  local readings = first[5]
  reply[n + 1], reply[n + 2] = 2, first[2]
  reply[n + 3], reply[n + 4] = first[3] == question.layout and 1 or 0, first[4]
  reply[n + 5] = #readings
  for index = 1, #readings do reply[n + 5 + index] = readings[index] end
  reply[n + 6 + #readings] = first[6] or ''
  return n + 6 + #readings
end

-- The readings of the answer stand behind its status in the reply, up to its end.
local function records_keep(question, now, reply, status_at, last, writes)
  local key, allowance = question.record_key, question.record_allowance
  if allowance_left(allowance, question.record_max) < 1 then
    reply[status_at] = 4
    return
  end
  local readings = {}
  for index = status_at + 1, last do readings[index - status_at] = reply[index] end
  local record = cmsgpack.pack({
    question.fingerprint, question.id, question.layout, now, readings, question.elsewhere,
  })
  records_kept[key] = record
  writes[#writes + 1] = function()
    allowance_take(allowance, 1)
    redis.call('PSETEX', key, question.record_ttl_ms, record)
  end
end
