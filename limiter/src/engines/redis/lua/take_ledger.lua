-- Sets the ledger so far aside as a batch and returns it; the same batch again until it is
-- dropped, so that a drainer that died in the middle loses and doubles nothing. A number that was
-- dropped is not used again: what a drainer that was given up sets aside late, nobody would look for.
--
-- KEYS   the tenant's ledger, the batch, the batch before it, the number of the last that was dropped
-- ARGV   1 the batch's number
-- Reply  field, count, and so on; or the number of the last that was dropped

local dropped = ledger_dropped(KEYS[4])
local number = tonumber(ARGV[1])
if dropped >= number then return dropped end
if redis.call('UNLINK', KEYS[3]) > 0 then ledger_drop(KEYS[4], number - 1) end
if redis.call('EXISTS', KEYS[2]) == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('PEXPIRE', KEYS[2], LEDGER_TTL_MS)
end
return redis.call('HGETALL', KEYS[2])
