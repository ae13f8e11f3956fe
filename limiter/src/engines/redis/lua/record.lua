-- Adds counts to the ledger.
--
-- KEYS   the tenant's ledger
-- ARGV   1 how many, then field, count, and so on
-- Reply  1

for index = 1, tonumber(ARGV[1]) do
  ledger_add(KEYS[1], ARGV[2 * index], tonumber(ARGV[2 * index + 1]))
end
return 1
