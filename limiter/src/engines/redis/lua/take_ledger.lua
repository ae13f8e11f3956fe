-- Sets the ledger so far aside as a batch and returns it; the same batch again until it is
-- forgotten, so that a drainer that died in the middle loses and doubles nothing.
--
-- KEYS   the tenant's ledger, the batch
-- Reply  field, count, and so on

if redis.call('EXISTS', KEYS[2]) == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('PEXPIRE', KEYS[2], LEDGER_TTL_MS)
end
return redis.call('HGETALL', KEYS[2])
