-- Makes every older snapshot of the tenant stale. Never lowers.
--
-- KEYS   the tenant's epoch
-- ARGV   1 "tenant shared"
-- Reply  1

local tenant, shared = string.match(ARGV[1], '^(%d+) (%d+)$')
epoch_raise(KEYS[1], redis.call('GET', KEYS[1]), tonumber(tenant), tonumber(shared))
return 1
