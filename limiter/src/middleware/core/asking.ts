import { createHash } from 'node:crypto';
import { IdempotencyConflict, InvalidInput, StoreFailure } from '../../core/errors.ts';
import type { Mode } from '../../core/limit.ts';
import type { DecisionView, LimiterPort, PortCheck } from '../../core/limiter-port.ts';
import type { Lone } from '../../core/lone.ts';
import { Regular } from '../../core/regular.ts';
import { unaskedDecision } from '../../core/unasked-decision.ts';
import { SyncLimiter } from '../../limiter/limiter.ts';
import { Entry } from './entry.ts';
import type { Facts } from './facts.ts';
import { attributesOf, callerOf, type Caller, type KeyRules } from './key-parts.ts';
import { Limiters, type Chosen } from './limiters.ts';
import { after, isOwnPromise, isPromise, type Maybe } from './maybe.ts';
import type { From, RateLimitOptions, ReserveRule, RouteRules } from './options.ts';
import { parseKeyRules } from './parse-options.ts';

/** Taken once: it would be looked up anew each time. */
const own = SyncLimiter.prototype;

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

/** From what is known of a request to a check, and to whoever decides it. */
export class Asking<Native> {
  readonly #options: RateLimitOptions<Native>;
  readonly #key: KeyRules<Native>;
  readonly #limiters: Limiters;
  /** The header that an idempotency key comes in; null: none is wanted. */
  readonly #keyField: string | null;
  readonly #onError: (error: unknown) => void;
  /** Of every call that goes the straight way. */
  readonly #plain: Pick<Asked<Native>, 'rules' | 'mode'>;

  constructor(
    options: RateLimitOptions<Native>,
    onError: (error: unknown) => void,
    onNothing: (part: string) => void,
  ) {
    this.#options = options;
    this.#onError = onError;
    this.#plain = { rules: options, mode: 'enforce' };
    this.#key = { ...parseKeyRules(options), onNothing };
    this.#limiters = new Limiters(options, this.#key.by);
    const { shield, idempotencyKey: wanted = shield !== undefined } = options;
    const named = wanted === true ? 'idempotency-key' : wanted;
    this.#keyField = named === false ? null : named.toLowerCase();
  }

  /** Else nobody need find out which route will answer. */
  get needsRoute(): boolean {
    return this.#limiters.countsByResource || this.#options.routes !== undefined;
  }

  /** Whether a call says no more than who asks for what, unless its route has rules of its own. */
  get isPlain(): boolean {
    return this.#keyField === null && this.#limiters.base.lonePath !== null;
  }

  /** About a plain call of a regular; undefined: ask as usual, for nothing has happened yet. */
  askPlainly(caller: Regular, resource: string): Entry<Native> | undefined {
    const { port, lonePath } = this.#limiters.base;
    if (!lonePath || port.checkSync !== own.checkSync) return undefined;
    const lone = lonePath.decideFor(caller, resource);
    return lone && new Entry(this.#plain, port, lone, caller.tenant);
  }

  callerOf(facts: Facts<Native>): Maybe<Caller | null> {
    return callerOf(facts, this.#key);
  }

  /** As the caller sent it. */
  idempotencyKeyOf(facts: Facts<Native>): string | undefined {
    if (this.#keyField === null) return undefined;
    const text = facts.header(this.#keyField);
    // The standard's header is a quoted string; many clients send it bare.
    return text === undefined ? undefined : (/^"(.*)"$/.exec(text)?.[1] ?? text);
  }

  /** Null: who calls is not limited. */
  ask(
    asked: Asked<Native>,
    caller: Maybe<Caller | null> = this.callerOf(asked.facts),
  ): Maybe<Entry<Native> | null> {
    if (!isOwnPromise(caller)) return this.#askAbout(asked, caller);
    return caller.then((found) => this.#askAbout(asked, found));
  }

  #askAbout(asked: Asked<Native>, caller: Caller | null): Maybe<Entry<Native> | null> {
    if (!caller) return null;
    const plan = valueOf(asked.rules.plan, asked.facts.native);
    if (!isPromise(plan)) return this.#askFor(asked, caller, plan);
    return Promise.resolve(plan).then((named) => this.#askFor(asked, caller, named));
  }

  #askFor(asked: Asked<Native>, caller: Caller, plan: string | undefined): Maybe<Entry<Native>> {
    const { rules, alone } = asked;
    const limits = alone || rules.limits !== this.#options.limits ? rules.limits : undefined;
    const chosen = this.#limiters.of({ plan, limits, alone });
    const { port, readsAttributes } = chosen;
    const lone = this.#decideShortly(asked, caller, chosen);
    if (lone) return new Entry(asked, port, lone, caller.tenant);
    const check = this.#checkOf(asked, caller);
    const attributes = readsAttributes ? attributesOf(caller) : undefined;
    if (attributes) check.attributes = attributes;
    if (plan !== undefined && this.#limiters.asksForPlan()) check.plan = plan;
    const costs = withCosts(check, asked);
    if (!isPromise(costs)) return this.#decide(asked, port, check);
    return costs.then(() => this.#decide(asked, port, check));
  }

  /** Of a call that says no more than who asks for what; undefined: ask as usual. */
  #decideShortly(
    { rules, resource, facts }: Asked<Native>,
    caller: Caller,
    { port, lonePath }: Chosen,
  ): Lone | undefined {
    if (!lonePath || !(caller instanceof Regular)) return undefined;
    const isPlain =
      rules.cost === undefined && rules.costs === undefined && rules.reserve === undefined;
    // Somebody may have put another in its place, to listen or to test.
    if (!isPlain || port.checkSync !== own.checkSync) return undefined;
    if (this.idempotencyKeyOf(facts) !== undefined) return undefined;
    return lonePath.decideFor(caller, resource);
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

  #decide(asked: Asked<Native>, port: LimiterPort, check: PortCheck): Maybe<Entry<Native>> {
    const { tenant } = check;
    try {
      if (port.checkSync) return new Entry(asked, port, port.checkSync(check), tenant);
      return Promise.resolve(port.check(check))
        .catch((error: unknown) => this.#undecided(check, error))
        .then((decision) => new Entry(asked, port, decision, tenant));
    } catch (error) {
      return new Entry(asked, port, this.#undecided(check, error), tenant);
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
