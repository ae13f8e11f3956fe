import { createHash } from 'node:crypto';
import type { Check } from '../../core/check.ts';
import { IdempotencyConflict, InvalidInput, StoreFailure } from '../../core/errors.ts';
import type { Mode } from '../../core/limit.ts';
import type { DecisionView, LimiterPort, PortCheck } from '../../core/limiter-port.ts';
import { unaskedDecision } from '../../core/unasked-decision.ts';
import type { Facts } from './facts.ts';
import { callerOf, type Caller, type KeyRules } from './key-parts.ts';
import { Limiters } from './limiters.ts';
import type { From, RateLimitOptions, ReserveRule, RouteRules } from './options.ts';
import { parseKeyRules } from './parse-options.ts';

/** One question about a request. */
export type Asked<Native> = {
  readonly facts: Facts<Native>;
  readonly rules: RouteRules<Native>;
  readonly mode: Exclude<Mode, 'off'>;
  readonly resource: string;
  /** How many there were before it; the first is the middleware's own. */
  readonly count: number;
  /** On the limits that it names and no others. */
  readonly alone: boolean;
};

/** Its answer, and who gave it. */
export type Made = {
  readonly decision: DecisionView;
  readonly port: LimiterPort;
  readonly caller: Caller;
};

/** From what is known of a request to a check, and to whoever decides it. */
export class Asking<Native> {
  readonly #options: RateLimitOptions<Native>;
  readonly #key: KeyRules<Native>;
  readonly #limiters: Limiters;
  readonly #onError: (error: unknown) => void;

  constructor(
    options: RateLimitOptions<Native>,
    onError: (error: unknown) => void,
    onNothing: (part: string) => void,
  ) {
    this.#options = options;
    this.#onError = onError;
    this.#key = { ...parseKeyRules(options), onNothing };
    this.#limiters = new Limiters(options, this.#key.by);
  }

  /** Else nobody need find out which route will answer. */
  get needsRoute(): boolean {
    return this.#limiters.countsByResource || this.#options.routes !== undefined;
  }

  callerOf(facts: Facts<Native>): Promise<Caller | null> {
    return callerOf(facts, this.#key);
  }

  /** As the caller sent it. */
  idempotencyKeyOf(facts: Facts<Native>): string | undefined {
    const { shield, idempotencyKey: wanted = shield !== undefined } = this.#options;
    if (wanted === false) return undefined;
    const text = facts.header(wanted === true ? 'idempotency-key' : wanted.toLowerCase());
    // The standard's header is a quoted string; many clients send it bare.
    return text === undefined ? undefined : (/^"(.*)"$/.exec(text)?.[1] ?? text);
  }

  /** Null: who calls is not limited. */
  async ask(asked: Asked<Native>): Promise<Made | null> {
    const { facts, rules, alone } = asked;
    const caller = await this.callerOf(facts);
    if (!caller) return null;
    const plan = await valueOf(rules.plan, facts.native);
    const limits = alone || rules.limits !== this.#options.limits ? rules.limits : undefined;
    const { port, readsAttributes } = this.#limiters.of({ plan, limits, alone });
    const check: PortCheck = {
      ...(await this.#checkOf(asked, caller)),
      ...(readsAttributes && caller.attributes && { attributes: caller.attributes }),
      ...(plan !== undefined && this.#limiters.asksForPlan() && { plan }),
    };
    return { decision: await this.#decide(port, check), port, caller };
  }

  async #checkOf(asked: Asked<Native>, { tenant, subject }: Caller): Promise<Check> {
    const { facts, rules, resource } = asked;
    const cost = await valueOf(rules.cost, facts.native);
    const costs = await valueOf(rules.costs, facts.native);
    const idempotencyKey = this.#checkKeyOf(asked);
    return {
      resource,
      subject,
      ...(tenant !== undefined && { tenant }),
      ...(cost !== undefined && { cost }),
      ...(costs !== undefined && { costs }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(rules.reserve && { reserve: reserveOf(rules.reserve) }),
    };
  }

  /** Later questions are others than the first: each has a key made of the caller's. */
  #checkKeyOf({ facts, count }: Asked<Native>): string | undefined {
    const key = this.idempotencyKeyOf(facts);
    if (key === undefined || count === 0) return key;
    return createHash('sha256').update(`${count} ${key}`).digest('base64url');
  }

  /** A limiter that throws for its store breaks its promise; nobody is answered with a 500 for that. */
  async #decide(port: LimiterPort, check: PortCheck): Promise<DecisionView> {
    try {
      return port.checkSync ? port.checkSync(check) : await port.check(check);
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof IdempotencyConflict) throw error;
      this.#onError(error);
      const reason = error instanceof StoreFailure ? error.reason : 'limiter_threw';
      return unaskedDecision(check, this.#options.onFailure ?? 'open', reason);
    }
  }
}

export function valueOf<Native, T>(
  from: From<Native, T> | undefined,
  native: Native,
): T | Promise<T> | undefined {
  return typeof from === 'function' ? (from as (request: Native) => T | Promise<T>)(native) : from;
}

function reserveOf<Native>({ ttlMs, onExpiry }: ReserveRule<Native>) {
  return { ttlMs, ...(onExpiry && { onExpiry }) };
}
