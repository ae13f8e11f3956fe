import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { mint, seal } from '../../platform/src/control/credentials/credential.ts';
import type { Server } from './process.ts';

export const adminToken = 'the-token-of-the-benchmark';

/**
 * Nobody reaches it, and no token comes back between two calls: a bucket that was full again would
 * have left Redis, and its next call would measure the making of a counter.
 */
const plan = {
  name: 'bench',
  algorithm: 'token_bucket',
  bucket_capacity: 100_000,
  refill_rate_per_sec: 0.001,
};

/** After the first call of a subject all are refused. */
export const refusing = {
  ...plan,
  name: 'refusing',
  bucket_capacity: 1,
  refill_rate_per_sec: 0.000_1,
};
/** The same, but it only watches. */
export const watching = {
  name: 'watching',
  limits: [
    { ...plan, name: 'wide' },
    { ...refusing, name: 'tight', mode: 'shadow' },
  ],
};

/** A tenant on the plan, made as its operator would. Returns its key. */
export async function makeTenant(node: Server, planned: object = plan): Promise<string> {
  const { id: planId } = await post<{ id: string }>(node, 'plans', { tenant_id: null, ...planned });
  const tenant = await post<{ id: string }>(node, 'tenants', { name: 'bench', plan_id: planId });
  const { key } = await post<{ key: string }>(node, 'keys', {
    tenant_id: tenant.id,
    name: 'bench',
  });
  return key;
}

/** A tenant under every kind of rule at once, none of which is ever reached. */
export async function makeRuledTenant(node: Server) {
  const resource = 'GET:/ruled';
  const size = { limit: 30_000_000, window_seconds: 60 };
  const counter = { algorithm: 'sliding_window_counter', ...size };
  await post(node, 'policies', {
    resource,
    limits: [{ ...counter, name: 'all', per: ['global'] }],
  });
  const tenant = await post<{ id: string }>(node, 'tenants', { name: 'ruled' });
  const { id: tenant_id } = tenant;
  const planned = await post<{ id: string }>(node, 'plans', {
    tenant_id,
    name: 'ruled',
    limits: [
      { ...counter, name: 'tenant', per: ['tenant'] },
      { ...counter, name: 'endpoint', per: ['tenant', 'resource'] },
      { ...plan, name: 'user', per: ['tenant', 'subject'] },
    ],
  });
  await send(node, 'PATCH', `tenants/${tenant_id}`, { plan_id: planned.id });
  await post(node, 'overrides', {
    tenant_id,
    limit: 'tenant',
    numbers: { limit: 35_000_000 },
    attributes: { team: 'eng' },
    reason: 'a benchmark',
  });
  await send(node, 'PUT', `quotas/${tenant_id}`, {
    limit: 1_000_000_000,
    teams: { eng: { limit: 900_000_000, users: { ann: { limit: 800_000_000 } } } },
  });
  const { key } = await post<{ key: string }>(node, 'keys', { tenant_id, name: 'ruled' });
  return { key, resource, attributes: { team: 'eng', user: 'ann' } };
}

const rowsPerInsert = 10_000;

/** The same for many, straight into the database. Returns their keys, one tenant's side by side. */
export async function makeTenants(
  node: Server,
  databaseUrl: string,
  { tenants, keysEach }: { readonly tenants: number; readonly keysEach: number },
): Promise<string[]> {
  const { id: planId } = await post<{ id: string }>(node, 'plans', { tenant_id: null, ...plan });
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ value: string }>(
      `SELECT value FROM settings WHERE name = 'key_id_secret'`,
    );
    const markSecret = rows[0]?.value ?? '';
    const keys: string[] = [];
    for (let made = 0; made < tenants; made += rowsPerInsert) {
      const count = Math.min(rowsPerInsert, tenants - made);
      const ids = Array.from({ length: count }, () => randomUUID());
      await insertTenants(client, ids, planId);
      for (let each = 0; each < keysEach; each += 1) {
        keys.push(...(await insertKeys(client, ids, markSecret)));
      }
    }
    await client.query('ANALYZE');
    return keys;
  } finally {
    await client.end();
  }
}

async function insertTenants(
  client: Client,
  ids: readonly string[],
  planId: string,
): Promise<void> {
  await client.query(
    `INSERT INTO tenants (id, name, tier, plan_id, status, timezone, billing_anchor_day)
     SELECT id, 'tenant ' || id, 'bench', $2, 'active', 'UTC', 1 FROM unnest($1::uuid[]) AS id`,
    [ids, planId],
  );
  await client.query(
    `INSERT INTO tenant_epochs (tenant_id, epoch, published_epoch)
     SELECT id, 1, 1 FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
}

async function insertKeys(
  client: Client,
  tenantIds: readonly string[],
  markSecret: string,
): Promise<string[]> {
  const minted = tenantIds.map(() => mint('key', markSecret));
  const sealed = minted.map(({ secret }) => seal(secret));
  await client.query(
    `INSERT INTO api_keys (id, tenant_id, name, salt, key_hash, scopes)
     SELECT id, tenant_id, 'bench', salt, key_hash, '{check}'
     FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[])
       AS key (id, tenant_id, salt, key_hash)`,
    [
      minted.map(({ id }) => id),
      tenantIds,
      sealed.map(({ salt }) => salt),
      sealed.map(({ hash }) => hash),
    ],
  );
  return minted.map(({ text }) => text);
}

function post<T>(node: Server, noun: string, body: object): Promise<T> {
  return send(node, 'POST', noun, body);
}

async function send<T>({ url }: Server, method: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`${url}/v1/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
