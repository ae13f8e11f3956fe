-- What is known of a reservation.
--
-- KEYS   the reservation's record
-- Reply  the record, or nil

return redis.call('GET', KEYS[1])
