import { InvalidInput } from '../../core/errors.ts';
import type { LimitInput } from '../../core/limit-input.ts';
import type { PerPart } from '../../core/limit.ts';
import type { LimiterPort } from '../../core/limiter-port.ts';
import { createLimiter } from '../../limiter/create-limiter.ts';
import { SyncLimiter } from '../../limiter/limiter.ts';
import type { KeyParts, LimitSource } from './options.ts';

/** Which limits apply to a call, besides those that apply to all. */
export type LimitChoice = {
  readonly plan: string | undefined;
  readonly limits: readonly LimitInput[] | undefined;
  /** Those alone: the others were decided before. */
  readonly alone: boolean;
};

/** Who is asked about a call, and whether what else is known of the caller is of use there. */
export type Chosen = {
  readonly port: LimiterPort;
  readonly readsAttributes: boolean;
  /** The short way of a plain check, where the limiter has one. */
  readonly lonePath: ReturnType<typeof SyncLimiter.lonePathOf>;
};

const remembered = 256;

/** A limiter for each set of limits, all of them on one store: what is decided together, is one step. */
export class Limiters {
  /** Who is asked about a call that names no limits and no plan. */
  readonly base: Chosen;
  readonly #plans: LimitSource['plans'];
  readonly #per: readonly PerPart[] | undefined;
  readonly #made = new Map<string, Chosen>();
  readonly #isOwn: boolean;

  constructor(source: LimitSource, by: KeyParts<never>) {
    this.#isOwn = source.limiter === undefined;
    this.#per = this.#isOwn ? perOf(by) : undefined;
    this.#plans = source.plans;
    const readsAttributes = !this.#isOwn || countsByAttributes(source.limits);
    this.base = chosen(source.limiter ?? this.#create(source), readsAttributes);
  }

  /** Whether a counter may be for one resource: else nobody need find out which it is. */
  get countsByResource(): boolean {
    return !this.#isOwn || this.#per?.includes('resource') === true;
  }

  of({ plan, limits, alone }: LimitChoice): Chosen {
    if (limits === undefined && (plan === undefined || !this.#plans)) return this.base;
    const planned = plan === undefined || alone ? [] : this.#limitsOf(plan);
    const all = [...planned, ...(limits ?? [])];
    const text = `${alone}${JSON.stringify(all)}`;
    let made = this.#made.get(text);
    if (!made) {
      const readsAttributes = this.base.readsAttributes || countsByAttributes(all);
      made = chosen(this.#derive(all, alone), readsAttributes);
      // Whoever makes new ones for every call pays for it, and takes no more room than this.
      if (this.#made.size >= remembered) this.#made.clear();
      this.#made.set(text, made);
    }
    return made;
  }

  /** What the service is asked for: it knows plans by itself. */
  asksForPlan(): boolean {
    return !this.#plans && !this.#isOwn;
  }

  #limitsOf(plan: string): readonly LimitInput[] {
    const plans = this.#plans ?? {};
    const limits = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
    if (limits) return limits;
    throw new InvalidInput('plan', `must be one of ${Object.keys(plans).join(', ')}`);
  }

  #derive(limits: readonly LimitInput[], alone: boolean): LimiterPort {
    const { port } = this.base;
    if (!port.with) {
      throw new InvalidInput(
        'limits',
        'this limiter takes no further limits; in the service, policies add them to resources',
      );
    }
    return port.with(this.#counted(limits), { alone });
  }

  #create(source: LimitSource): LimiterPort {
    const { limits = [], redis, secret, deadlineMs, name, clock } = source;
    const named = { limits: this.#counted(limits), ...(name !== undefined && { name }) };
    if (!redis) return createLimiter({ ...named, ...(clock && { clock }) });
    return createLimiter({
      ...named,
      redis,
      ...(secret !== undefined && { secret }),
      ...(deadlineMs !== undefined && { deadlineMs }),
    });
  }

  /** By the parts of the key, unless a limit says otherwise. */
  #counted(limits: readonly LimitInput[]): readonly LimitInput[] {
    const per = this.#per;
    if (!per || !Array.isArray(limits)) return limits;
    return limits.map((limit: LimitInput) => (limit.per ? limit : { ...limit, per }));
  }
}

function chosen(port: LimiterPort, readsAttributes: boolean): Chosen {
  return { port, readsAttributes, lonePath: SyncLimiter.lonePathOf(port) };
}

function countsByAttributes(limits: readonly LimitInput[] | undefined): boolean {
  if (!Array.isArray(limits)) return false;
  return limits.some((limit: LimitInput) =>
    limit.per?.some((part) => part.startsWith('attributes.')),
  );
}

function perOf(by: KeyParts<never>): readonly PerPart[] {
  const isSubject = by.user || by.ip || Object.keys(by.attributes ?? {}).length > 0;
  const per: PerPart[] = [];
  if (by.tenant) per.push('tenant');
  if (isSubject) per.push('subject');
  if (by.route) per.push('resource');
  return per;
}
