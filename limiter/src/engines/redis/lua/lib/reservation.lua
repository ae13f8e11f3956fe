-- A reservation: its holds, and a record that outlives them by a day so that a late settlement
-- still charges. The record is "open keep windows expires_at 0 |blob", later "settled keep windows
-- expires_at late cost,cost,…|blob".

local RESERVATION_KEPT_US = 86400000000

local function reservation_open(question, at, now)
  local record_key, ttl_us, keep, allowance_key, max, id =
    string.match(ARGV[at + 1], '^(%d+) (%d+) (%d) (%d+) (%d+) (%S+)$')
  local allowance = KEYS[tonumber(allowance_key)]
  local blob = ARGV[at + 2]
  local expires_at = now + tonumber(ttl_us)
  question.id = id
  question.reserve = function(limit, writes)
    local cell = limit.cell
    local window = holds_window(limit, limit.state)
    local member = holds_member(id, limit.cost, window, keep)
    limit.window = string.format('%.0f', window)
    cell.held_next, cell.held_last = cell.held_next or 0, cell.held_last or 0
    if cell.held == 0 and limit.algorithm.windowed then holds_recount(cell, limit.holds_key, window) end
    cell.held = cell.held + limit.cost
    cell.force = { limit.a, limit.b, limit.c, limit.d }
    if cell.held_next == 0 or expires_at < cell.held_next then cell.held_next = expires_at end
    cell.held_last = math.max(cell.held_last, expires_at)
    local holds_key = limit.holds_key
    writes[#writes + 1] = function() holds_add(cell, holds_key, member, expires_at, now) end
  end
  -- The windows of the limits in the blob, in its order; "-" where nothing is held. False when the
  -- tenant has made too many.
  question.reserve_record = function(limits, writes)
    if allowance_left(allowance, max) < 1 then return false end
    local windows = {}
    for _, limit in ipairs(limits) do
      if limit.cost > 0 and limit.holds_key and not limit.algorithm.slots then
        windows[#windows + 1] = limit.window or '-'
      end
    end
    local text = string.format('open %s %s %.0f 0 |%s', keep, table.concat(windows, ','), expires_at, blob)
    local ttl_ms = clock_ttl_ms(expires_at + RESERVATION_KEPT_US, now)
    writes[#writes + 1] = function()
      allowance_take(allowance, 1)
      redis.call('PSETEX', KEYS[tonumber(record_key)], ttl_ms, text)
    end
    return true
  end
  return at + 2
end
