import { view, type BoundLimit, type Engine, type Limit, type PerPart } from 'sluice/core';
import { select } from '../snapshot/rules.ts';
import type { Caller } from './identify.ts';
import { normalizeResource } from './resource.ts';

export type UsageReader = Pick<Engine, 'inspect'>;

/** Whose counters, where a limit does not count the tenant as a whole. */
export type Whose = { readonly subject?: string; readonly resource?: string };

export type LimitUsage = {
  readonly name: string;
  readonly algorithm: string;
  readonly unit: string;
  readonly per: readonly string[];
  readonly mode: string;
  readonly limit: number;
  /** Null where it was not said whose. */
  readonly used: number | null;
  readonly remaining: number | null;
  readonly reset_at: number | null;
};

/** The limits that apply to a caller, each with what its counter says. Touches nothing. */
export async function inspectLimits(
  engine: UsageReader,
  caller: Caller,
  whose: Whose,
): Promise<LimitUsage[]> {
  const { snapshot } = caller;
  const resource = whose.resource === undefined ? null : normalizeResource(whose.resource);
  const resolution = resource === null ? null : snapshot.rules.resolve(resource);
  const call = { subject: whose.subject ?? '', attributes: {} };
  const limits = resolution ? select(resolution, call).limits : snapshot.rules.ofPlan();
  const known: Known = {
    subject: whose.subject,
    resource: resolution?.counted,
    key: caller.key.id,
  };
  const bound = limits.map((limit) => bindOne(limit, known));
  const found = bound.filter((one) => one !== null);
  const { nowUs, readings } = await engine.inspect(snapshot.ref, found);
  return limits.map((limit, at) => {
    const one = bound[at];
    const reading = one ? readings[found.indexOf(one)] : undefined;
    const shown = one && reading ? view(one, reading, nowUs) : null;
    return {
      name: limit.name,
      algorithm: limit.numbers.algorithm,
      unit: limit.unit,
      per: limit.per,
      mode: limit.mode,
      limit: limit.size,
      used: shown?.used ?? null,
      remaining: shown?.remaining ?? null,
      reset_at: shown ? Math.ceil(shown.resetAtUs / 1_000_000) : null,
    };
  });
}

type Known = Readonly<Partial<Record<PerPart, string | undefined>>>;

function bindOne(limit: Limit, known: Known): BoundLimit | null {
  const parts = limit.identifiedBy.map((part) => known[part]);
  if (parts.includes(undefined)) return null;
  return { limit, parts: parts as string[], cost: 0 };
}
