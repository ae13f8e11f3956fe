import { parseLimit, type Limit, type LimitInput } from 'sluice/core';
import type { RlsShownLimit, RlsUnit } from '../ask.ts';
import { uint32Max } from '../bounds.ts';
import type { Amount, Rule } from '../config/rule.ts';
import type { RlsSettings } from '../settings.ts';

/** A rule as the engine knows it: to refuse by, and to be counted on its own verdict. */
export type RuleLimits = {
  readonly enforced: Limit;
  readonly watched: Limit;
  readonly shown: RlsShownLimit;
};

/** `none` leaves nothing to anybody. */
export type Compiled = RuleLimits | 'unlimited' | { readonly none: RlsShownLimit };

const sentAlongMax = 10_000;

/** Compiles each rule once. */
export class RuleBook {
  readonly #settings: Pick<RlsSettings, 'calendar' | 'onStoreFailure'>;
  readonly #rules = new WeakMap<Rule, Compiled>();
  /** Limits that are sent along come anew with each request. */
  readonly #sentAlong = new Map<string, Compiled>();

  constructor(settings: Pick<RlsSettings, 'calendar' | 'onStoreFailure'>) {
    this.#settings = settings;
  }

  of(rule: Rule, isSentAlong: boolean): Compiled {
    if (isSentAlong) return this.#ofSentAlong(rule);
    let compiled = this.#rules.get(rule);
    if (!compiled) this.#rules.set(rule, (compiled = this.#compile(rule)));
    return compiled;
  }

  #ofSentAlong(rule: Rule): Compiled {
    const { amount } = rule;
    if (amount.kind !== 'rate') return this.#compile(rule);
    const key = `${amount.requestsPerUnit} ${amount.unit}`;
    let compiled = this.#sentAlong.get(key);
    if (!compiled) {
      if (this.#sentAlong.size >= sentAlongMax) this.#sentAlong.clear();
      this.#sentAlong.set(key, (compiled = this.#compile(rule)));
    }
    return compiled;
  }

  #compile({ name, amount }: Rule): Compiled {
    if (amount.kind === 'unlimited') return 'unlimited';
    if (amount.kind === 'rate' && amount.requestsPerUnit === 0) {
      return { none: { name, requestsPerUnit: 0, unit: amount.unit } };
    }
    const { onStoreFailure } = this.#settings;
    const input = {
      // Where the gateway is to decide, a failure never gets as far as a limit's policy.
      onStoreFailure: onStoreFailure === 'error' ? 'open' : onStoreFailure,
      ...this.#inputOf(amount),
      per: ['tenant', 'subject'],
    } as LimitInput;
    const enforced = limitOf({ ...input, mode: 'enforce' });
    return {
      enforced,
      watched: limitOf({ ...input, mode: 'shadow', confirm: true }),
      shown: {
        name,
        requestsPerUnit: Math.min(enforced.size, uint32Max),
        unit: amount.kind === 'rate' ? amount.unit : unitOf(enforced),
      },
    };
  }

  /** The unit is part of the name, so that 10 a minute and 100 a day are two counters. */
  #inputOf(amount: Exclude<Amount, { kind: 'unlimited' }>): LimitInput {
    if (amount.kind === 'algorithm') return { ...amount.input, name: 'sluice' };
    const { requestsPerUnit: limit, unit } = amount;
    const name = unit.toLowerCase();
    if (this.#settings.calendar === 'honest' && isCalendar(unit)) {
      return { algorithm: 'quota', name, limit, period: calendarUnits[unit] };
    }
    return { algorithm: 'fixed_window', name, limit, window: `${unitSeconds[unit]} s` };
  }
}

const calendarUnits = { WEEK: 'week', MONTH: 'month', YEAR: 'year' } as const;

function isCalendar(unit: RlsUnit): unit is keyof typeof calendarUnits {
  return Object.hasOwn(calendarUnits, unit);
}

/** As the reference service counts them. */
export const unitSeconds: Readonly<Record<RlsUnit, number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3600,
  DAY: 86_400,
  WEEK: 604_800,
  MONTH: 2_592_000,
  YEAR: 31_536_000,
};

function limitOf(input: LimitInput): Limit {
  // Never off, so never null.
  return parseLimit(input, { definedBy: 'rls', field: 'limit' }) as Limit;
}

/** The unit that says it, if one does. */
export function unitOf({ numbers }: Limit): RlsUnit | null {
  if (numbers.algorithm === 'quota') return numbers.calendar.period.toUpperCase() as RlsUnit;
  if (!('windowUs' in numbers)) return null;
  const seconds = numbers.windowUs / 1_000_000;
  const entry = Object.entries(unitSeconds).find(([, length]) => length === seconds);
  return (entry?.[0] as RlsUnit | undefined) ?? null;
}
