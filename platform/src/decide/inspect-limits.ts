import { levelOf, view, type BoundLimit, type Engine, type Limit, type PerPart } from 'sluice/core';
import { countedAs as countedUnder, select, type Rules } from '../snapshot/rules.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { addressAttribute } from './address-attribute.ts';
import { normalizeResource } from './resource.ts';

export type UsageReader = Pick<Engine, 'inspect'>;

/** Whose counters, where a limit does not count the tenant as a whole. */
export type Whose = {
  readonly subject?: string | undefined;
  readonly resource?: string | undefined;
  readonly keyId?: string | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
};

export type LimitUsage = {
  readonly name: string;
  readonly algorithm: string;
  readonly unit: string;
  readonly per: readonly string[];
  readonly level: string;
  readonly mode: string;
  readonly limit: number;
  /** Null where it was not said whose. */
  readonly used: number | null;
  readonly remaining: number | null;
  readonly reset_at: number | null;
  /** In penalty until then; null when it is in none. */
  readonly blocked_until: number | null;
};

/** A limit, and its counter where it was said whose. */
export type Named = { readonly limit: Limit; readonly bound: BoundLimit | null };

/** The limits that are asked about: of a resource, or of the plan. */
export function limitsOf(rules: Rules, whose: Whose): Named[] {
  const resource = whose.resource === undefined ? null : normalizeResource(whose.resource);
  const resolution = resource === null ? null : rules.resolve(resource);
  const { subject = '', attributes = {} } = whose;
  const limits = resolution
    ? select(resolution, { subject, attributes }).limits
    : rules.ofPlan(attributes);
  const known = { subject: whose.subject, resource: resolution?.counted, key: whose.keyId };
  return limits.map((limit) => ({ limit, bound: bindOne(limit, known, attributes) }));
}

/** What calls of a resource are counted under in what was used. */
export function countedAs(rules: Rules, resource: string): string {
  return countedUnder(rules.resolve(normalizeResource(resource)).policy);
}

/** Each limit with what its counter says. Touches nothing. */
export async function inspectLimits(
  engine: UsageReader,
  { ref, rules }: Snapshot,
  whose: Whose,
): Promise<LimitUsage[]> {
  return inspectNamed(engine, ref, limitsOf(rules, whose));
}

export async function inspectNamed(
  engine: UsageReader,
  ref: Snapshot['ref'],
  limits: readonly Named[],
): Promise<LimitUsage[]> {
  const found = limits.flatMap(({ bound }) => bound ?? []);
  const { nowUs, readings } = await engine.inspect(ref, found);
  return limits.map(({ limit, bound }) => {
    const reading = bound ? readings[found.indexOf(bound)] : undefined;
    const shown = bound && reading ? view(bound, reading, nowUs) : null;
    const blockedUntilUs = reading?.blockedUntilUs ?? 0;
    return {
      name: limit.name,
      algorithm: limit.numbers.algorithm,
      unit: limit.unit,
      per: limit.per,
      level: levelOf(limit).name,
      mode: limit.mode,
      limit: limit.size,
      used: shown?.used ?? null,
      remaining: shown?.remaining ?? null,
      reset_at: shown ? secondsOf(shown.resetAtUs) : null,
      blocked_until: blockedUntilUs > nowUs ? secondsOf(blockedUntilUs) : null,
    };
  });
}

function secondsOf(us: number): number {
  return Math.ceil(us / 1_000_000);
}

type Known = Readonly<Partial<Record<PerPart, string | undefined>>>;

/** Null where the counter is one of several, and it was not said which. */
function bindOne(
  limit: Limit,
  known: Known,
  attributes: Readonly<Record<string, string>>,
): BoundLimit | null {
  const parts = limit.identifiedBy.map((part) => {
    if (!part.startsWith('attributes.')) return known[part];
    const name = part.slice('attributes.'.length);
    return Object.hasOwn(attributes, name)
      ? addressAttribute(attributes[name] as string)
      : undefined;
  });
  if (parts.includes(undefined)) return null;
  return { limit, parts: parts as string[], cost: 0 };
}
