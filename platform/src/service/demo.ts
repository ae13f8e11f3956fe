import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../control/actor.ts';
import { Conflict } from '../control/errors.ts';
import { templates as tiers } from '../control/plans/templates.ts';
import { policyTemplates } from '../control/policies/templates.ts';
import type { Control } from '../doors/http/admin/index.ts';
import type { DemoPlan } from '../doors/http/demo.ts';

/** What there is to try. */
export type Demo = {
  readonly tenantId: string;
  readonly key: string;
  readonly plans: readonly DemoPlan[];
};

const actor: Actor = { id: 'demo', role: 'owner', tenantId: null, requestId: null };
const tenantName = 'demo';
const othersMs = 5000;
const lookAgainMs = 100;

/** One plan for each algorithm, small enough to see it refuse. The first is the tenant's own. */
const templates = [
  {
    name: 'token-bucket',
    about: 'bursts of 10, then 2 a second',
    limit: { algorithm: 'token_bucket', bucket_capacity: 10, refill_rate_per_sec: 2 },
  },
  {
    name: 'fixed-window',
    about: '10 in each 10 seconds',
    limit: { algorithm: 'fixed_window', limit: 10, window_seconds: 10 },
  },
  {
    name: 'sliding-window-log',
    about: '10 in any 10 seconds',
    limit: { algorithm: 'sliding_window_log', limit: 10, window_seconds: 10 },
  },
  {
    name: 'sliding-window-counter',
    about: '10 in about any 10 seconds, with two counters',
    limit: { algorithm: 'sliding_window_counter', limit: 10, window_seconds: 10 },
  },
  {
    name: 'concurrency',
    about: '3 calls at once; a ticket lapses after 10 seconds',
    limit: { algorithm: 'concurrency', max_concurrent: 3, stale_after_seconds: 10 },
  },
  {
    name: 'quota',
    about: '100 a day',
    limit: { algorithm: 'quota', limit: 100, period: 'day', per: ['tenant', 'subject'] },
  },
] as const;

/**
 * Finds the demo tenant by its key, or makes it. Of nodes that start together one does, and the
 * others wait for it; should it die, another does what is left.
 */
export async function seedDemo(
  control: Control,
  { key, isFirst }: { readonly key: string; readonly isFirst: boolean },
): Promise<Demo> {
  if (!isFirst) await untilSeeded(control, idOf(key));
  return findOrMake(control, key);
}

async function untilSeeded(control: Control, keyId: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < othersMs; waitedMs += lookAgainMs) {
    if (await control.keys.get(actor, keyId).catch(() => null)) return;
    if (await hasKey(control)) return;
    await sleep(lookAgainMs);
  }
}

/** The key is made last, and each node may have one of its own. */
async function hasKey(control: Control): Promise<boolean> {
  const tenantId = await findTenant(control);
  if (tenantId === null) return false;
  const { items } = await control.keys.list(actor, { tenant_id: tenantId, limit: 1 });
  return items.length > 0;
}

async function findOrMake(control: Control, key: string): Promise<Demo> {
  const known = await control.keys.get(actor, idOf(key)).catch(() => null);
  const tenantId = known?.tenant_id ?? (await makeTenant(control));
  const plans = await makePlans(control, tenantId);
  await makeTiers(control);
  await makeCosts(control, tenantId);
  await useFirstPlan(control, tenantId, plans);
  if (!known) {
    const scopes = ['check', 'settle', 'usage', 'plan:select', 'refund'] as const;
    await control.keys.import(actor, { tenant_id: tenantId, name: 'demo', scopes }, key);
  }
  return { tenantId, key, plans };
}

async function makeTenant(control: Control): Promise<string> {
  const known = await findTenant(control);
  if (known !== null) return known;
  const { value } = await control.tenants.create(actor, { name: tenantName, tier: 'demo' });
  return value.id;
}

async function findTenant({ tenants }: Control): Promise<string | null> {
  const { items } = await tenants.list(actor, { name_prefix: tenantName, tier: 'demo' });
  return items.find(({ name }) => name === tenantName)?.id ?? null;
}

async function makePlans({ plans }: Control, tenantId: string): Promise<DemoPlan[]> {
  const { items } = await plans.list(actor, { tenant_id: tenantId });
  const made: DemoPlan[] = [];
  for (const { name, about, limit } of templates) {
    const { id, limits } =
      items.find((plan) => plan.name === name) ??
      (await plans.create(actor, { tenant_id: tenantId, name, limits: [{ name, ...limit }] }))
        .value;
    made.push({ id, name, about, limits });
  }
  return made;
}

/** The plans that tenants without one are on, by their tier. */
async function makeTiers({ plans }: Control): Promise<void> {
  const { items } = await plans.list(actor, { tenant_id: 'shared', limit: 200 });
  for (const { name } of tiers) {
    if (items.some((plan) => plan.name === name)) continue;
    await plans.create(actor, { template: name }).catch(unlessTaken);
  }
}

/** What the tenant's calls cost in the units that those plans count. */
async function makeCosts({ policies }: Control, tenantId: string): Promise<void> {
  const { items } = await policies.list(actor, { tenant_id: tenantId, limit: 200 });
  for (const { name, resource, limits } of policyTemplates) {
    if (limits.length > 0 || items.some((policy) => policy.resource === resource)) continue;
    await policies.create(actor, { template: name, tenant_id: tenantId }).catch(unlessTaken);
  }
}

/** Another node may have made it meanwhile. */
function unlessTaken(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

async function useFirstPlan(
  { tenants }: Control,
  tenantId: string,
  [first]: readonly DemoPlan[],
): Promise<void> {
  const tenant = await tenants.get(actor, tenantId);
  if (tenant.plan_id !== null || !first) return;
  await tenants.update(actor, tenantId, { plan_id: first.id }, null);
}

function idOf(key: string): string {
  return key.split('_')[1] ?? '';
}
