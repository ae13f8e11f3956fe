-- Sets the ledger so far aside as a batch and returns it; the same batch again until it is
-- forgotten, so that a drainer that died in the middle loses and doubles nothing.
--
-- KEYS   the tenant's ledger, the batch
-- Reply  field, count, and so on

if call('EXISTS', KEYS[2]) == 0 and call('EXISTS', KEYS[1]) == 1 then
  call('RENAME', KEYS[1], KEYS[2])
  call('PEXPIRE', KEYS[2], LEDGER_TTL_MS)
end
return call('HGETALL', KEYS[2])
