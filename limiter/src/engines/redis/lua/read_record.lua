-- What is known of a reservation, or of a charge.
--
-- KEYS   its record
-- Reply  the record, or nil

return redis.call('GET', KEYS[1])
