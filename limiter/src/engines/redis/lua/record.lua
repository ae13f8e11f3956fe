-- Adds counts to the ledger.
--
-- KEYS   the tenant's ledger
-- ARGV   field, count, and so on
-- Reply  1

for index = 1, #ARGV, 2 do ledger_add(KEYS[1], ARGV[index], tonumber(ARGV[index + 1])) end
return 1
