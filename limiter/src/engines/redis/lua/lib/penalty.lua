-- Twin of core/algorithms/penalty.ts. mark: until_us, length_us.

local function penalty_decode(value)
  local until_us, length_us = struct.unpack('>dd', value)
  return { until_us = until_us, length_us = length_us }
end

local function penalty_blocked_until(mark, now)
  if mark and mark.until_us > now then return mark.until_us end
  return 0
end

local function penalty_strike(mark, block_us, growth, max_us, now)
  local length_us = block_us
  if mark and now < mark.until_us + mark.length_us then
    length_us = math.max(block_us, math.floor(mark.length_us * growth / 1000))
  end
  length_us = math.min(length_us, max_us)
  return { until_us = now + length_us, length_us = length_us }
end

local function penalty_save(key, mark, now)
  local ttl_ms = clock_ttl_ms(mark.until_us + mark.length_us, now)
  redis.call('PSETEX', key, ttl_ms, struct.pack('>dd', mark.until_us, mark.length_us))
end
