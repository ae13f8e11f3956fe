-- Whether there is anything to set aside, or set aside and not dropped.
--
-- KEYS   the tenant's ledger, the batch
-- Reply  how many of them there are

return redis.call('EXISTS', KEYS[1], KEYS[2])
