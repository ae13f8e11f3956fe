import { createHash } from 'node:crypto';
import { IdempotencyConflict, InvalidInput, StoreFailure } from '../../core/errors.ts';
import type { Mode } from '../../core/limit.ts';
import type { DecisionView, LimiterPort, PortCheck } from '../../core/limiter-port.ts';
import { unaskedDecision } from '../../core/unasked-decision.ts';
import type { Facts } from './facts.ts';
import { attributesOf, callerOf, type Caller, type KeyRules } from './key-parts.ts';
import { Limiters } from './limiters.ts';
import { after, isPromise, type Maybe } from './maybe.ts';
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

  callerOf(facts: Facts<Native>): Maybe<Caller | null> {
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
  ask(asked: Asked<Native>): Maybe<Made | null> {
    const caller = this.callerOf(asked.facts);
    if (!isPromise(caller)) return this.#askAbout(asked, caller);
    return caller.then((found) => this.#askAbout(asked, found));
  }

  #askAbout(asked: Asked<Native>, caller: Caller | null): Maybe<Made | null> {
    if (!caller) return null;
    const plan = valueOf(asked.rules.plan, asked.facts.native);
    if (!isPromise(plan)) return this.#askFor(asked, caller, plan);
    return Promise.resolve(plan).then((named) => this.#askFor(asked, caller, named));
  }

  #askFor(asked: Asked<Native>, caller: Caller, plan: string | undefined): Maybe<Made> {
    const { rules, alone } = asked;
    const limits = alone || rules.limits !== this.#options.limits ? rules.limits : undefined;
    const { port, readsAttributes } = this.#limiters.of({ plan, limits, alone });
    const check = this.#checkOf(asked, caller);
    const attributes = readsAttributes ? attributesOf(caller) : undefined;
    if (attributes) check.attributes = attributes;
    if (plan !== undefined && this.#limiters.asksForPlan()) check.plan = plan;
    const costs = withCosts(check, asked);
    if (!isPromise(costs)) return this.#decide(port, check, caller);
    return costs.then(() => this.#decide(port, check, caller));
  }

  /** Field by field: most are absent, and to spread nothing has its price too. */
  #checkOf(asked: Asked<Native>, { tenant, subject }: Caller): Writable<PortCheck> {
    const { rules, resource } = asked;
    const check: Writable<PortCheck> = { resource, subject };
    const idempotencyKey = this.#checkKeyOf(asked);
    if (tenant !== undefined) check.tenant = tenant;
    if (idempotencyKey !== undefined) check.idempotencyKey = idempotencyKey;
    if (rules.reserve) check.reserve = reserveOf(rules.reserve);
    return check;
  }

  /** Later questions are others than the first: each has a key made of the caller's. */
  #checkKeyOf({ facts, count }: Asked<Native>): string | undefined {
    const key = this.idempotencyKeyOf(facts);
    if (key === undefined || count === 0) return key;
    return createHash('sha256').update(`${count} ${key}`).digest('base64url');
  }

  #decide(port: LimiterPort, check: PortCheck, caller: Caller): Maybe<Made> {
    try {
      if (port.checkSync) return { decision: port.checkSync(check), port, caller };
      return Promise.resolve(port.check(check))
        .catch((error: unknown) => this.#undecided(check, error))
        .then((decision) => ({ decision, port, caller }));
    } catch (error) {
      return { decision: this.#undecided(check, error), port, caller };
    }
  }

  /** A limiter that throws for its store breaks its promise; nobody is answered with a 500 for that. */
  #undecided(check: PortCheck, error: unknown): DecisionView {
    if (error instanceof InvalidInput || error instanceof IdempotencyConflict) throw error;
    this.#onError(error);
    const reason = error instanceof StoreFailure ? error.reason : 'limiter_threw';
    return unaskedDecision(check, this.#options.onFailure ?? 'open', reason);
  }
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

function withCosts<Native>(
  check: Writable<PortCheck>,
  { rules, facts }: Asked<Native>,
): Maybe<void> {
  if (rules.cost === undefined && rules.costs === undefined) return undefined;
  return after(valueOf(rules.cost, facts.native), (cost) => {
    if (cost !== undefined) check.cost = cost;
    return after(valueOf(rules.costs, facts.native), (costs) => {
      if (costs !== undefined) check.costs = costs;
    });
  });
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
