-- Forgets a batch of the ledger, and that its number was used.
--
-- KEYS   the batch, the number of the last that was dropped
-- ARGV   1 the batch's number
-- Reply  1

redis.call('UNLINK', KEYS[1])
ledger_drop(KEYS[2], tonumber(ARGV[1]))
return 1
