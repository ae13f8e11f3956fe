-- Which batches of the ledger are done with: the number of the last, for they go in order.

local function ledger_dropped(key)
  return tonumber(redis.call('GET', key) or '0')
end

local function ledger_drop(key, number)
  if number > ledger_dropped(key) then
    redis.call('PSETEX', key, LEDGER_TTL_MS, string.format('%.0f', number))
  end
end
