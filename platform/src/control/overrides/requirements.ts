import type { Transaction } from 'kysely';
import { InvalidInput } from 'sluice';
import type { Tables } from '../../database/tables.ts';
import { type Definition, definitionsOf, isQuota } from '../definitions.ts';
import { keepReachable } from '../owned.ts';
import { overlaps } from '../patterns.ts';
import { requireNumbers, type Numbers } from './numbers.ts';

/** Which limit of which tenant is meant. */
export type Target = {
  readonly tenantId: string;
  readonly limit: string;
  /** Who defines it, where more than one does. */
  readonly planId: string | null;
  readonly policyId: string | null;
};

/** The plan or policy that is named is the tenant's or shared, and stays until it is written. */
export async function keepNamed(
  tx: Transaction<Tables>,
  { tenantId, planId, policyId }: Target,
): Promise<void> {
  if (planId !== null && policyId !== null) {
    throw new InvalidInput('policy_id', 'goes without plan_id: a limit is defined by one of them');
  }
  if (planId !== null) {
    await keepReachable(tx, { table: 'plans', noun: 'plan', id: planId, tenantId });
  }
  if (policyId !== null) {
    await keepReachable(tx, { table: 'policies', noun: 'policy', id: policyId, tenantId });
  }
}

/** There is one such limit, the numbers are its own, and it is asked about such resources. */
export async function requireMeaning(
  tx: Transaction<Tables>,
  target: Target,
  { resource, numbers }: { readonly resource: string | null; readonly numbers: Numbers },
): Promise<void> {
  const definitions = await definitionsFor(tx, target);
  requireNumbers(definitions, numbers);
  if (resource === null || definitions.some((one) => canConcern(one, resource))) return;
  throw new InvalidInput(
    'resource',
    `matches no resource that the limit ${target.limit} applies to, so it would change nothing`,
  );
}

async function definitionsFor(
  tx: Transaction<Tables>,
  { tenantId, limit, planId, policyId }: Target,
): Promise<readonly Definition[]> {
  const all = await definitionsOf(tx, { tenantId, limit });
  const named = planId ?? policyId;
  const definitions = named === null ? all : all.filter(({ id }) => id === named);
  if (definitions.length === 0) throw await notDefined(tx, { tenantId, limit, named });
  const definers = new Set(definitions.map(({ by, id }) => (by === 'plan' ? by : id)));
  if (definers.size === 1) return definitions;
  const names = definitions.slice(0, 4).map(({ by, name }) => `the ${by} ${name}`);
  throw new InvalidInput(
    'limit',
    `is ambiguous: ${names.join(', ')} have one of this name; name plan_id or policy_id`,
  );
}

async function notDefined(
  tx: Transaction<Tables>,
  {
    tenantId,
    limit,
    named,
  }: { readonly tenantId: string; readonly limit: string; readonly named: string | null },
): Promise<InvalidInput> {
  if (named !== null) return new InvalidInput('limit', `is no limit of ${named}`);
  if (await isQuota(tx, { tenantId, limit })) {
    return new InvalidInput(
      'limit',
      'is the quota of this tenant, which has no overrides; add to it with a top-up',
    );
  }
  return new InvalidInput('limit', 'is no limit of a plan or policy that this tenant can be under');
}

function canConcern({ by, name, limit: { resources } }: Definition, pattern: string): boolean {
  if (by === 'policy' && !overlaps(pattern, name)) return false;
  return resources?.some((one) => overlaps(pattern, one)) ?? true;
}
