import type { CanonicalLimit } from 'sluice/contract';
import type { DefinedBy } from './definition.ts';
import { Pattern } from './pattern.ts';
import type { OverrideSource } from './source.ts';

/** Who calls, as far as overrides look at it. */
export type CalledBy = {
  readonly subject: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Replaces a limit's numbers for some. */
export class Override {
  readonly id: string;
  readonly subject: string | null;
  readonly #source: OverrideSource;
  readonly #resource: Pattern | null;
  readonly #attributes: readonly (readonly [string, string])[];

  constructor(source: OverrideSource) {
    this.id = source.id;
    this.subject = source.subject;
    this.#source = source;
    this.#resource = source.resource === null ? null : new Pattern(source.resource);
    this.#attributes = Object.entries(source.attributes);
  }

  isOf(name: string, definedBy: DefinedBy): boolean {
    const { limit_name: limitName, plan_id: planId, policy_id: policyId } = this.#source;
    if (limitName !== name) return false;
    if (planId !== null) return definedBy.kind === 'plan' && definedBy.id === planId;
    return policyId === null || (definedBy.kind === 'policy' && definedBy.id === policyId);
  }

  isFor(resource: string): boolean {
    return this.#resource?.matches(resource) ?? true;
  }

  /** Whether it looks at who calls, and not only at what is called. */
  get isPersonal(): boolean {
    return this.subject !== null || this.#attributes.length > 0;
  }

  appliesTo({ subject, attributes }: CalledBy): boolean {
    if (this.subject !== null && this.subject !== subject) return false;
    return this.#attributes.every(
      ([name, value]) => Object.hasOwn(attributes, name) && attributes[name] === value,
    );
  }

  /** The limit with the numbers that this one says; how much there is stands for a share. */
  onto(wire: CanonicalLimit): CanonicalLimit {
    const { share_of: share, ...rest } = wire;
    const { numbers } = this.#source;
    const saysSize =
      'limit' in numbers || 'bucket_capacity' in numbers || 'max_concurrent' in numbers;
    return {
      ...rest,
      ...(share && !saysSize && { share_of: share }),
      ...numbers,
    };
  }

  /** Below 0 when this one wins: by more exact parts, then the newer. */
  compare(other: Override): number {
    return (
      other.#exactness - this.#exactness ||
      this.#comparePatterns(other) ||
      other.#source.createdAtMs - this.#source.createdAtMs ||
      (this.id < other.id ? 1 : -1)
    );
  }

  /** Half for a pattern: what is exact comes first, a wildcard before nothing. */
  get #exactness(): number {
    const ofResource = this.#resource === null ? 0 : this.#resource.isExact ? 1 : 0.5;
    return Number(this.subject !== null) + this.#attributes.length + ofResource;
  }

  #comparePatterns(other: Override): number {
    if (!this.#resource || !other.#resource) return 0;
    return this.#resource.compare(other.#resource);
  }
}

/**
 * The overrides that may replace one limit's numbers for one resource, so that the right one is
 * found quickly however many subjects have one of their own.
 */
export class OverrideChoice {
  /** In order of preference. */
  readonly #everybody: readonly Ranked[];
  readonly #bySubject = new Map<string, Ranked[]>();

  constructor(overrides: readonly Override[]) {
    const ranked = overrides
      .toSorted((a, b) => a.compare(b))
      .map((override, rank) => ({ override, rank }));
    this.#everybody = ranked.filter(({ override }) => override.subject === null);
    for (const one of ranked) {
      const { subject } = one.override;
      if (subject === null) continue;
      const known = this.#bySubject.get(subject);
      if (known) known.push(one);
      else this.#bySubject.set(subject, [one]);
    }
  }

  get isPersonal(): boolean {
    return this.#bySubject.size > 0 || this.#everybody.some(({ override }) => override.isPersonal);
  }

  for(call: CalledBy): Override | null {
    const applies = ({ override }: Ranked) => override.appliesTo(call);
    const common = this.#everybody.find(applies);
    const own = this.#bySubject.get(call.subject)?.find(applies);
    if (!own || !common) return (own ?? common)?.override ?? null;
    return own.rank < common.rank ? own.override : common.override;
  }
}

type Ranked = { readonly override: Override; readonly rank: number };
