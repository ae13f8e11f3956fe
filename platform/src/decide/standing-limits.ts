import type { Limit, Mode } from 'sluice/core';
import type { ModeLayer } from '../snapshot/modes.ts';
import type { Rule } from '../snapshot/rule.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';

/** A limit of a tenant as it is configured right now, whoever calls. */
export type StandingLimit = {
  readonly name: string;
  /** As its counters know it: `plan`, `policy` with its pattern, or `quota`. */
  readonly definedBy: string;
  /** The plan or policy; null for the tenant's quota. */
  readonly definerId: string | null;
  readonly mode: Mode;
  readonly enforceFromMs: number | null;
  /** Where its mode is said; null where that is not known. */
  readonly layer: ModeLayer | null;
  readonly security: boolean;
  readonly algorithm: string;
  readonly size: number;
};

/** All limits of a tenant: of the plan it is on, of plans of its own, of policies, and its quota. */
export function standingLimits(
  snapshots: Pick<Snapshots, 'reload'>,
): (tenantId: string) => Promise<readonly StandingLimit[] | null> {
  return async (tenantId) => {
    const snapshot = await snapshots.reload(tenantId);
    return snapshot && standingIn(snapshot);
  };
}

function standingIn(snapshot: Snapshot): readonly StandingLimit[] {
  const { tenant, rules } = snapshot;
  const others = tenant.plans.flatMap(({ id }) => snapshot.rulesOf(id)?.standing ?? []);
  const found = new Map<string, StandingLimit>();
  for (const limit of [...rules.standing, ...others].map(ofRule)) {
    const key = `${limit.definedBy} ${limit.name}`;
    if (!found.has(key)) found.set(key, limit);
  }
  const ofQuota = (rules.quota?.applying({}) ?? []).map(quotaLimit);
  return [...found.values(), ...ofQuota];
}

const enforced = { mode: 'enforce', enforceFromMs: null } as const;
const anybody = { subject: '', attributes: {} };

function ofRule(rule: Rule): StandingLimit {
  const { definition, mode } = rule;
  const { definedBy, wire } = definition;
  const limit = rule.for(anybody) ?? definition.plain(mode.mode === 'off' ? enforced : mode);
  return {
    name: definition.name,
    definedBy: definedBy.kind === 'plan' ? 'plan' : `policy ${definedBy.resource}`,
    definerId: definedBy.id,
    mode: mode.mode,
    enforceFromMs: mode.enforceFromMs,
    layer: mode.layer,
    security: wire.security === true,
    algorithm: limit.numbers.algorithm,
    size: limit.size,
  };
}

function quotaLimit(limit: Limit): StandingLimit {
  return {
    name: limit.name,
    definedBy: 'quota',
    definerId: null,
    mode: limit.mode,
    enforceFromMs: limit.enforceFromMs,
    layer: null,
    security: limit.security,
    algorithm: limit.numbers.algorithm,
    size: limit.size,
  };
}
