-- Deletes keys.
--
-- KEYS   what to delete
-- Reply  how many there were

return call('UNLINK', unpack(KEYS))
