-- What keeps a snapshot from deciding. Twin of engines/memory/epoch.ts. The key holds
-- "tenant.shared"; it lives a day and is then confirmed anew.

local EPOCH_TTL_MS = 86400000

local function epoch_write(key, tenant, shared)
  redis.call('PSETEX', key, EPOCH_TTL_MS, string.format('%.0f.%.0f', tenant, shared))
end

local function epoch_raise(key, stored, tenant, shared)
  local stored_tenant, stored_shared = string.match(stored or '0.0', '^(%d+)%.(%d+)$')
  epoch_write(key, math.max(tonumber(stored_tenant), tenant),
    math.max(tonumber(stored_shared), shared))
end

-- nil when the snapshot may decide, else -1 stale, -2 unknown. Writes only what is higher.
local function epoch_check(key, stored, mine, valid_until, confirmed, now)
  if not stored and confirmed == 0 then return -2 end
  local tenant, shared
  if stored ~= mine then
    tenant, shared = string.match(mine, '^(%d+)%.(%d+)$')
    tenant, shared = tonumber(tenant), tonumber(shared)
    if stored then
      local stored_tenant, stored_shared = string.match(stored, '^(%d+)%.(%d+)$')
      if tonumber(stored_tenant) > tenant or tonumber(stored_shared) > shared then return -1 end
    end
  end
  if now >= valid_until then return -1 end
  if stored ~= mine then epoch_raise(key, stored, tenant, shared) end
  return nil
end
