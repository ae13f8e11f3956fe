import { isDeepStrictEqual } from 'node:util';
import type { RlsPlan } from '../service/index.ts';
import type { AdminApi, Stored } from './admin-api.ts';

type Tenant = Stored & { readonly name: string; readonly plan_id: string | null };
type Plan = Stored & { readonly name: string; readonly limits: readonly unknown[] };

/**
 * A tenant of the plan's name, on this plan: made where there is none, changed where this made it
 * before. All of it or nothing; returns what was done, in words.
 */
export async function applyPlan(api: AdminApi, plan: RlsPlan): Promise<string> {
  const found = await api.list<Tenant>('tenants', { name_prefix: plan.name });
  const tenants = found.filter(({ name }) => name === plan.name);
  const [tenant] = tenants;
  if (!tenant) return make(api, plan);
  if (tenants.length > 1) {
    throw new Error(
      `${tenants.length} tenants have this name: nothing was changed; rename all but one`,
    );
  }
  const [own] = await api.list<Plan>('plans', { tenant_id: tenant.id, name: plan.name });
  if (!own) {
    throw new Error(
      `tenant ${tenant.id} has this name and no plan of this name: nothing was changed; rename the tenant, or give it such a plan`,
    );
  }
  if (tenant.plan_id !== null && tenant.plan_id !== own.id) {
    throw new Error(
      `tenant ${tenant.id} is on another plan: nothing was changed; put it on plan ${own.id}, or rename it`,
    );
  }
  return change(api, { tenant, own, plan });
}

async function make(api: AdminApi, plan: RlsPlan): Promise<string> {
  const tenant = await api.send<Tenant>('POST', 'tenants', { name: plan.name });
  try {
    const own = await api.send<Plan>('POST', 'plans', { tenant_id: tenant.id, ...plan });
    await api.send('PATCH', `tenants/${tenant.id}`, { plan_id: own.id });
    return `made tenant ${tenant.id} on plan ${own.id}; gateways ask for tenant:${tenant.id}`;
  } catch (error) {
    await undo(error, () => api.send('DELETE', `tenants/${tenant.id}`), `tenant ${tenant.id}`);
    throw error;
  }
}

type Change = { readonly tenant: Tenant; readonly own: Plan; readonly plan: RlsPlan };

async function change(api: AdminApi, { tenant, own, plan }: Change): Promise<string> {
  const isSame = isDeepStrictEqual(own.limits, JSON.parse(JSON.stringify(plan.limits)));
  if (isSame && tenant.plan_id === own.id) return `tenant ${tenant.id} is on this plan already`;
  const patch = { limits: plan.limits, version: own.version };
  const changed = isSame ? own : await api.send<Plan>('PATCH', `plans/${own.id}`, patch);
  if (tenant.plan_id === own.id) return `changed plan ${own.id} of tenant ${tenant.id}`;
  try {
    const { version } = tenant;
    await api.send('PATCH', `tenants/${tenant.id}`, { plan_id: own.id, version });
    return `changed plan ${own.id} and put tenant ${tenant.id} on it`;
  } catch (error) {
    const before = { limits: own.limits, version: changed.version };
    await undo(error, () => api.send('PATCH', `plans/${own.id}`, before), `plan ${own.id}`);
    throw error;
  }
}

/** What can't be taken back has to be said. */
async function undo(error: unknown, back: () => Promise<unknown>, what: string): Promise<void> {
  try {
    await back();
  } catch {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${reason}; ${what} was left behind, for taking it back failed too: see to it`,
      {
        cause: error,
      },
    );
  }
}
