-- Deletes keys.
--
-- KEYS   what to delete
-- Reply  how many there were

return redis.call('UNLINK', unpack(KEYS))
