import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../../platform/src/database/index.ts';
import {
  type AdminRoute,
  type Noun,
  routes,
} from '../../../platform/src/doors/http/admin/routes.ts';
import type { AdminRig } from './rig.ts';

/** One object of each noun: of a tenant, or of none. */
export type Objects = Readonly<Record<Noun, string>>;

/** What is kept as a collection, and can be listed. */
export const listed = routes.filter(({ verb }) => verb === 'list').map(({ noun }) => noun);

export type World = {
  readonly own: Objects;
  readonly foreign: Objects;
  /** Of no tenant; the plan is one that neither tenant is on. */
  readonly platform: Omit<
    Objects,
    | 'tenants'
    | 'keys'
    | 'quotas'
    | 'overrides'
    | 'counters'
    | 'usage'
    | 'decisions'
    | 'rollout'
    | 'me'
  >;
  /** What does not exist. */
  readonly nothing: Objects;
};

const limits = [{ name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 }];

/** Two tenants with everything, and what belongs to neither. */
export async function makeWorld(admin: AdminRig): Promise<World> {
  const [own, foreign] = [await makeObjects(admin), await makeObjects(admin)];
  const platform = await makeShared(admin);
  return { own, foreign, platform, nothing };
}

const nothing: Objects = {
  tenants: randomUUID(),
  plans: randomUUID(),
  policies: randomUUID(),
  overrides: randomUUID(),
  blocks: randomUUID(),
  modes: randomUUID(),
  keys: 'A'.repeat(21),
  tokens: 'A'.repeat(21),
  audit: randomUUID(),
  publications: '999999',
  quotas: randomUUID(),
  webhooks: randomUUID(),
  counters: randomUUID(),
  usage: randomUUID(),
  decisions: 'nothing-1',
  rollout: randomUUID(),
  pools: randomUUID(),
  me: randomUUID(),
};

const hook = { url: 'https://hooks.example.com/sluice', events: ['quota.threshold'] };

async function makeObjects(admin: AdminRig): Promise<Objects> {
  const pool = await admin.post('pools', newPool());
  const tenant_id = await admin.makeTenant();
  const plan = await admin.post('plans', { tenant_id, name: 'own', limits });
  const policy = await admin.post('policies', { tenant_id, resource: 'GET:/own' });
  const override = await admin.post('overrides', newOverride(tenant_id));
  const block = await admin.post('blocks', newBlock(tenant_id));
  const mode = await admin.put('modes', newMode(tenant_id));
  const key = await admin.post('keys', { tenant_id, name: 'own' });
  const token = await admin.makeToken('viewer', tenant_id);
  await admin.put(`quotas/${tenant_id}`, { limit: 100 });
  const webhook = await admin.post('webhooks', { ...hook, tenant_id });
  return {
    tenants: tenant_id,
    plans: plan.body.id,
    policies: policy.body.id,
    overrides: override.body.id,
    blocks: block.body.id,
    modes: mode.body.id,
    keys: key.body.id,
    tokens: token.id,
    audit: await newestAudit(admin),
    publications: '2',
    quotas: tenant_id,
    counters: tenant_id,
    usage: tenant_id,
    rollout: tenant_id,
    webhooks: webhook.body.id,
    pools: pool.body.id,
    me: randomUUID(),
    decisions: await admin.makeReceipt(tenant_id),
  };
}

async function makeShared(admin: AdminRig): Promise<World['platform']> {
  const plan = await admin.post('plans', { name: `shared-${randomUUID()}`, limits });
  const policy = await admin.post('policies', { resource: `GET:/shared/${randomUUID()}` });
  const webhook = await admin.post('webhooks', hook);
  const block = await admin.post('blocks', newBlock(null));
  const mode = await admin.put('modes', { scope: 'platform', mode: 'warn' });
  const pool = await admin.post('pools', newPool());
  const { epoch } = policy.body.publication;
  return {
    plans: plan.body.id,
    policies: policy.body.id,
    blocks: block.body.id,
    modes: mode.body.id,
    audit: await newestAudit(admin),
    tokens: (await admin.makeToken('viewer')).id,
    publications: String(epoch),
    webhooks: webhook.body.id,
    pools: pool.body.id,
  };
}

/** Its address is never called. */
export const newPool = () => ({
  name: `pool-${randomUUID()}`,
  redis_url: 'redis://sluice:secret-word@redis.example:6379/0',
});
export const newOverride = (tenant_id: string) => ({
  tenant_id,
  limit: 'm',
  numbers: { limit: 20 },
  reason: 'a good customer',
});
export const newBlock = (tenant_id: string | null) => ({
  tenant_id,
  subject: 'mallory',
  reason: 'abuse',
});
export const newStep = (tenant_id: string) => ({ tenant_id, limit: 'm', reason: 'it is time' });
export const newMode = (tenant_id: string) => ({ scope: 'tenant', tenant_id, mode: 'shadow' });

async function newestAudit(admin: AdminRig): Promise<string> {
  const { body } = await admin.get('audit?limit=1');
  return body.items[0]?.id ?? '';
}

export type Request = { readonly method: string; readonly path: string; readonly body?: unknown };

const questions: readonly AdminRoute['verb'][] = ['explain', 'inspect', 'reset', 'unblock'];

/** What a route is asked for, of these objects, such that it works for who may. */
export function requestFor({ noun, verb, method, path }: AdminRoute, objects: Objects): Request {
  const place = path.replace('/v1/admin/', '').replace(':id', objects[noun]);
  const isOfTenant = verb === 'clear' || verb === 'series';
  const filter = isOfTenant ? `?tenant_id=${objects.tenants}` : '';
  const body = questions.includes(verb)
    ? { tenant_id: objects.tenants, plan_id: objects.plans, resource: 'x', subject: 'me' }
    : bodyFor(noun, verb, objects.tenants);
  return { method, path: `${place}${filter}`, ...(body && { body }) };
}

/** A change of the object of a noun, in the way in which that is changed. */
export function changeOf(noun: Noun, objects: Objects): Request {
  const route = routes.find((one) => one.noun === noun && isChange(one));
  if (!route) throw new Error(`${noun} can't be changed`);
  return requestFor(route, objects);
}

function isChange({ verb }: AdminRoute): boolean {
  return verb === 'update' || verb === 'set';
}

function bodyFor(noun: Noun, verb: AdminRoute['verb'], tenantId: string): object | undefined {
  if (verb === 'rotate') return noun === 'keys' ? { overlap_seconds: 3600 } : {};
  if (verb === 'update') return changeFor(noun);
  if (verb === 'put') return { limit: 100, teams: { eng: { limit: 10 } } };
  if (verb === 'erase') return { tenant_id: tenantId, subject: 'nobody' };
  if (verb === 'topUp') return { amount: 5, reason: 'a launch' };
  if (verb === 'set') return newMode(tenantId);
  if (verb === 'promote' || verb === 'stepBack') return newStep(tenantId);
  if (verb !== 'create') return undefined;
  const bodies: Partial<Record<Noun, object>> = {
    tenants: { name: 'new' },
    plans: { tenant_id: tenantId, name: `new-${randomUUID()}`, limits },
    policies: { tenant_id: tenantId, resource: `GET:/${randomUUID()}` },
    overrides: newOverride(tenantId),
    blocks: newBlock(tenantId),
    keys: { tenant_id: tenantId, name: 'new' },
    tokens: { tenant_id: tenantId, name: 'new', role: 'viewer' },
    webhooks: { ...hook, tenant_id: tenantId },
    pools: newPool(),
  };
  return bodies[noun];
}

/** A change that each object of the noun can take. */
function changeFor(noun: Noun): object {
  const changes: Partial<Record<Noun, object>> = {
    policies: { cost: 3 },
    overrides: { reason: 'changed' },
    blocks: { reason: 'changed' },
    webhooks: { url: 'https://hooks.example.com/changed' },
    pools: { connections: 7 },
  };
  return changes[noun] ?? { name: 'changed' };
}

const tables = [
  'tenants',
  'plans',
  'policies',
  'overrides',
  'blocks',
  'modes',
  'api_keys',
  'admin_tokens',
  'audit_entries',
  'tenant_epochs',
  'shared_epoch',
  'publications',
  'quotas',
  'quota_top_ups',
  'webhooks',
  'receipts',
  'erasures',
  'pools',
] as const;

const everything = sql.join(
  tables.map(
    (table) => sql`
      SELECT ${sql.lit(table)} AS name,
        string_agg((to_jsonb(t) - 'last_used_at')::text, E'\n' ORDER BY t::text) AS rows
      FROM ${sql.table(table)} t`,
  ),
  sql` UNION ALL `,
);

/** All that is stored, but for when a token was last used; in one statement, for it is asked often. */
export async function readEverything(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ name: string; rows: string | null }>`${everything}`.execute(db);
  return rows.map((table) => `${table.name}: ${table.rows ?? ''}`).join('\n');
}

const rooms = {
  plans: 200,
  policies: 500,
  overrides: 5000,
  blocks: 5000,
  keys: 1000,
  tokens: 1000,
  webhooks: 20,
} as const;

/** As many objects as a tenant may have, unless told otherwise. Returns how many that is. */
export async function fillRoom(
  db: Kysely<Tables>,
  noun: keyof typeof rooms,
  tenantId: string,
  max: number = rooms[noun],
): Promise<number> {
  const owned = (at: number) => ({
    id: `${tenantId.slice(0, 24)}${at.toString(16).padStart(12, '0')}`,
    tenant_id: tenantId,
  });
  const credential = (at: number) => ({
    id: `${noun}${at}${randomUUID().replaceAll('-', '')}`,
    tenant_id: tenantId,
    name: 'one of many',
    salt: '',
  });
  const indices = Array.from({ length: max }, (_, at) => at);
  const filled = {
    plans: () =>
      db
        .insertInto('plans')
        .values(indices.map((at) => ({ ...owned(at), name: `n${at}`, limits: '[]' })))
        .execute(),
    policies: () =>
      db
        .insertInto('policies')
        .values(
          indices.map((at) => ({ ...owned(at), resource: `n${at}`, costs: '{}', limits: '[]' })),
        )
        .execute(),
    overrides: () =>
      sql`
      INSERT INTO overrides (id, tenant_id, limit_name, attributes, numbers, reason, author)
      SELECT gen_random_uuid(), ${tenantId}, 'm', '{}', '{"limit":1}', 'r', 'a'
      FROM generate_series(1, ${max})`.execute(db),
    blocks: () =>
      sql`
      INSERT INTO blocks (id, tenant_id, subject, action, reason, author)
      SELECT gen_random_uuid(), ${tenantId}, 's' || n, 'block', 'r', 'a'
      FROM generate_series(1, ${max}) n`.execute(db),
    keys: () =>
      db
        .insertInto('api_keys')
        .values(indices.map((at) => ({ ...credential(at), key_hash: '', scopes: [] })))
        .execute(),
    tokens: () =>
      db
        .insertInto('admin_tokens')
        .values(
          indices.map((at) => ({ ...credential(at), token_hash: '', role: 'viewer' as const })),
        )
        .execute(),
    webhooks: () =>
      db
        .insertInto('webhooks')
        .values(indices.map((at) => ({ ...owned(at), ...hook })))
        .execute(),
  };
  await filled[noun]();
  return max;
}
