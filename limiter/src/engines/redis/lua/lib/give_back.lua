-- Takes a charge back that was made a moment ago for a check that is refused after all: nobody was
-- let in for it, so nothing of it may stay. Only a bucket keeps what has flowed in since: whether it
-- would have been full in between nobody knows.

-- A log loses that very entry: `refund` takes the oldest, and whoever is refused all the time would
-- keep the log from ever growing old. False where the entry is no longer whole.
local function give_back_entry(key, amount, charged_at)
  local state = sliding_window_log_open(key)
  local index = sliding_window_log_first(state, charged_at - 1)
  if index == state.count then return false end
  local _, total = sliding_window_log_entry(state, index)
  local before = state.base
  if index > 0 then
    local _, total_before = sliding_window_log_entry(state, index - 1)
    before = math.max(before, total_before)
  end
  if total - before < amount then return false end
  local short, from = state.stored < LOG_SHORT, LOG_HEADER + index * LOG_ENTRY
  local entries, kept = redis.call('GETRANGE', key, from, -1), {}
  for at = 1, #entries, LOG_ENTRY do
    local entry_at, entry_total = struct.unpack('>dd', entries, at)
    -- Of a long log only the end is written again, and an entry of nothing does no harm.
    local gone = at == 1 and total - amount == before and short
    if not gone then kept[#kept + 1] = struct.pack('>dd', entry_at, entry_total - amount) end
  end
  if short then
    local text = string.sub(state.text, 1, from) .. table.concat(kept)
    redis.call('SET', key, text, 'KEEPTTL')
  else
    redis.call('SETRANGE', key, from, table.concat(kept))
  end
  return true
end

-- What is left then.
local function give_back(limit, charged_at, now)
  local algorithm = limit.algorithm
  local cell, exists = cell_open(algorithm, KEYS[limit.key])
  local state = algorithm.load(cell.stored, limit, now)
  if not exists then return state end
  if algorithm.open and give_back_entry(cell.key, limit.cost, charged_at) then
    return algorithm.open(cell.key)
  end
  state = algorithm.load(algorithm.refund(state, limit, limit.cost, charged_at, now), limit, now)
  state.header_changed = true
  if algorithm.windowed and state[3] == 0 then
    -- A window begins with the first call that is let in.
    redis.call('UNLINK', cell.key)
  else
    cell_store(cell, limit, state)
    cell_save(cell, now)
  end
  return state
end
