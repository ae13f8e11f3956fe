-- Adds a writer's counts to the ledger, unless it has added them before.
--
-- KEYS   the tenant's ledger, the number of the writer's last record
-- ARGV   1 the number of this record, 2 how many counts, then field, count, and so on
-- Reply  1 when they were added, 0 when they had been

local last = redis.call('GET', KEYS[2])
if last and tonumber(last) >= tonumber(ARGV[1]) then return 0 end
for index = 1, tonumber(ARGV[2]) do
  ledger_add(KEYS[1], ARGV[2 * index + 1], tonumber(ARGV[2 * index + 2]))
end
redis.call('PSETEX', KEYS[2], LEDGER_TTL_MS, ARGV[1])
return 1
