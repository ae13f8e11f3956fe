-- Twin of core/algorithms/penalty.ts. A mark is until_us, length_us. It is kept for the whole call,
-- so that later questions see what earlier ones did.

local penalty_marks = {}

local function penalty_open(limit, key, now)
  local mark = penalty_marks[key]
  if not mark then
    mark = { key = key, until_us = 0, length_us = 0 }
    local value = redis.call('GET', key)
    if value then mark.until_us, mark.length_us = struct.unpack('>dd', value) end
    penalty_marks[key] = mark
  end
  limit.mark, limit.blocked_until = mark, mark.until_us > now and mark.until_us or 0
end

local function penalty_strike(limit, now, writes)
  local mark, length_us = limit.mark, limit.block_us
  if now < mark.until_us + mark.length_us then
    length_us = math.max(length_us, math.floor(mark.length_us * limit.growth / 1000))
  end
  length_us = math.min(length_us, limit.block_max_us)
  mark.until_us, mark.length_us = now + length_us, length_us
  limit.blocked_until = mark.until_us
  local ttl_ms = clock_ttl_ms(mark.until_us + length_us, now)
  local value = struct.pack('>dd', mark.until_us, length_us)
  writes[#writes + 1] = function() redis.call('PSETEX', mark.key, ttl_ms, value) end
end
