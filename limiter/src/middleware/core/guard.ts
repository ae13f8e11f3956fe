import type { Check } from '../../core/check.ts';
import { IdempotencyConflict, InvalidInput, StoreFailure } from '../../core/errors.ts';
import type { Mode } from '../../core/limit.ts';
import type { DecisionView, LimiterPort } from '../../core/limiter-port.ts';
import { parseMode } from '../../core/mode.ts';
import { parseWhole } from '../../core/numbers.ts';
import { unaskedDecision } from '../../core/unasked-decision.ts';
import type { HeaderOptions } from '../../headers/index.ts';
import { passed, type Facts, type Outcome } from './facts.ts';
import { Heartbeats } from './heartbeats.ts';
import { hold } from './hold.ts';
import { callerOf, type Caller, type KeyRules } from './key-parts.ts';
import { Limiters } from './limiters.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import type { From, RateLimitOptions, RouteRules } from './options.ts';
import { parseHeaderOptions, parseKeyRules, requireOptions } from './parse-options.ts';
import { changedRefusal, problemOf, refusalOf, toOutcome } from './refusal.ts';
import { resourceOf, rulesFor } from './rules.ts';
import { Visit, type Limited, type LimitCall } from './visit.ts';

/** Fields of options that only one adapter knows. */
export type GuardParts = { readonly more?: readonly string[] };

/**
 * Decides what becomes of a request, for every framework alike: who calls, what it costs, who is
 * asked, and what is done with the answer. Adapters bring facts and carry out the outcome.
 */
export class Guard<Native> {
  readonly #options: RateLimitOptions<Native>;
  readonly #key: KeyRules<Native>;
  readonly #limiters: Limiters;
  readonly #headers: HeaderOptions;
  readonly #holdMsMax: number;
  readonly #needsRoute: boolean;
  readonly #heartbeats = new Map<number, Heartbeats>();

  constructor(options: RateLimitOptions<Native>, { more = [] }: GuardParts = {}) {
    requireOptions(options, more);
    this.#options = options;
    this.#key = parseKeyRules(options);
    this.#limiters = new Limiters(options, this.#key.by);
    this.#headers = parseHeaderOptions(options);
    this.#holdMsMax = parseWhole('holdMsMax', options.holdMsMax ?? 10_000, { min: 0, max: 60_000 });
    this.#needsRoute = this.#limiters.countsByResource || options.routes !== undefined;
  }

  /** The middleware's own question, once for each request. */
  run(facts: Facts<Native>): Maybe<Outcome> {
    Visit.for(facts, this);
    const route = this.#needsRoute ? resourceOf(facts) : '*';
    const rules = rulesFor(this.#options, route, facts.rules?.());
    if (rules === false) return passed;
    return after(rules.skip?.(facts.native), (isSkipped) =>
      isSkipped ? passed : this.#runUnder(rules, facts, route),
    );
  }

  #runUnder(rules: RouteRules<Native>, facts: Facts<Native>, route: string): Maybe<Outcome> {
    return after(this.#modeOf(rules, facts.native), (mode) => {
      if (mode === 'off') return passed;
      return after(rules.group ?? this.#options.resource?.(facts.native), (named) =>
        this.#ask({ facts, rules, mode, resource: named ?? route, alone: false }),
      );
    });
  }

  /** A question of the handler's. Null: nothing is limited here. */
  async limit(facts: Facts<Native>, call: LimitCall<Native>): Promise<Limited> {
    const own = rulesFor(this.#options, resourceOf(facts), facts.rules?.());
    const mode = await this.#modeOf(own === false ? {} : own, facts.native);
    if (mode === 'off') return { outcome: passed, decision: null };
    const resource = call.group ?? call.resource ?? resourceOf(facts);
    // The request itself was counted before; what is new is what the call names.
    const cost = call.cost ?? (call.limits ? 1 : 0);
    const alone = call.limits !== undefined;
    const asked = { facts, rules: { ...call, cost }, mode, resource, alone };
    const outcome = await this.#ask(asked);
    return { outcome, decision: Visit.for(facts, this).last ?? null };
  }

  /** What went wrong after a decision. */
  heard(error: unknown): void {
    this.#options.onError?.(error);
  }

  #modeOf({ mode = 'enforce' }: RouteRules<Native>, native: Native): Maybe<Mode> {
    if (typeof mode !== 'function') return parseMode('mode', mode);
    return after(valueOf(mode, native), (said) => parseMode('mode', said ?? 'enforce'));
  }

  #ask(asked: Asked<Native>): Maybe<Outcome> {
    const { facts, rules } = asked;
    return after(callerOf(facts, this.#key), (caller) => {
      if (!caller) return passed;
      return after(valueOf(rules.plan, facts.native), (plan) =>
        attempt(() => this.#askFor(asked, caller, plan), problemOf),
      );
    });
  }

  #askFor(asked: Asked<Native>, caller: Caller, plan: string | undefined): Maybe<Outcome> {
    const { facts, rules, alone } = asked;
    const mode = asked.mode as Exclude<Mode, 'off'>;
    const limits = alone ? rules.limits : this.#extra(rules);
    const choice = { plan, limits, alone };
    const port = this.#limiters.of(choice);
    const counted = this.#limiters.readsAttributes(choice)
      ? caller
      : { ...caller, attributes: undefined };
    return after(this.#checkOf(asked, counted), (check) => {
      const named = plan !== undefined && this.#limiters.asksForPlan() ? { ...check, plan } : check;
      return after(this.#decide(port, named), (decision) => {
        this.#options.onDecision?.(facts.native, decision);
        return this.#conclude(asked, { decision, port, caller, mode });
      });
    });
  }

  /** Limits of the route, besides those that the limiter has already. */
  #extra(rules: RouteRules<Native>): RouteRules<Native>['limits'] {
    return rules.limits === this.#options.limits ? undefined : rules.limits;
  }

  #checkOf({ facts, rules, resource }: Asked<Native>, caller: Caller): Maybe<Check> {
    const { native } = facts;
    const { tenant, subject, attributes } = caller;
    // Field by field: most are absent, and every spread of nothing has its price.
    const check: Writable<Check> = { resource, subject };
    if (tenant !== undefined) check.tenant = tenant;
    if (attributes) check.attributes = attributes;
    const idempotencyKey = this.#idempotencyKeyOf(facts);
    if (idempotencyKey !== undefined) check.idempotencyKey = idempotencyKey;
    if (rules.reserve) check.reserve = reserveOf(rules.reserve);
    return after(valueOf(rules.cost, native), (cost) => {
      if (cost !== undefined) check.cost = cost;
      return after(valueOf(rules.costs, native), (costs) => {
        if (costs !== undefined) check.costs = costs;
        return check;
      });
    });
  }

  #idempotencyKeyOf(facts: Facts<Native>): string | undefined {
    const { idempotencyKey: wanted = false } = this.#options;
    if (wanted === false) return undefined;
    const text = facts.header(wanted === true ? 'idempotency-key' : wanted.toLowerCase());
    // The standard's header is a quoted string; many clients send it bare.
    return text === undefined ? undefined : (/^"(.*)"$/.exec(text)?.[1] ?? text);
  }

  /** A limiter that throws for its store breaks its promise; nobody is answered with a 500 for that. */
  #decide(port: LimiterPort, check: Check): Maybe<DecisionView> {
    return attempt<DecisionView>(
      () => (port.checkSync ? port.checkSync(check) : port.check(check)),
      (error) => {
        if (error instanceof InvalidInput || error instanceof IdempotencyConflict) throw error;
        this.heard(error);
        const reason = error instanceof StoreFailure ? error.reason : 'limiter_threw';
        return unaskedDecision(check, this.#options.onFailure ?? 'open', reason);
      },
    );
  }

  #conclude({ facts, rules, alone }: Asked<Native>, made: Made): Maybe<Outcome> {
    const { decision, port, caller, mode } = made;
    const visit = Visit.for(facts, this);
    visit.add({
      decision,
      port,
      mode,
      tenant: caller.tenant,
      rules,
      told:
        mode === 'shadow'
          ? null
          : { decision, options: this.#headers, isWarning: mode === 'warn' && !decision.allowed },
      stop: this.#beat(port, decision, caller.tenant),
      isSettled: false,
    });
    const headers = visit.headers();
    if (!decision.allowed && mode === 'enforce') return this.#refuse(facts, decision, headers);
    facts.response.setHeaders(headers);
    const isHeld = rules.delay === 'hold' && mode === 'enforce' && decision.delayMs > 0 && !alone;
    if (!isHeld) return passed;
    const heldMs = Math.min(decision.delayMs, this.#holdMsMax);
    return hold(heldMs, facts.response).then((stayed) => (stayed ? passed : { kind: 'gone' }));
  }

  #refuse(
    facts: Facts<Native>,
    decision: DecisionView,
    headers: Readonly<Record<string, string>>,
  ): Maybe<Outcome> {
    const refusal = refusalOf(decision, headers);
    const { onRefused } = this.#options;
    if (!onRefused) return toOutcome(refusal);
    return after(onRefused(facts.native, { ...refusal, decision }), (changed) =>
      toOutcome(changed ? changedRefusal(refusal, changed) : refusal),
    );
  }

  #beat(port: LimiterPort, { ticket, reservation }: DecisionView, tenant: string | undefined) {
    const held =
      ticket !== null ? { ticket } : reservation ? { reservationId: reservation.id } : null;
    if (!held) return null;
    const everyMs = this.#options.heartbeatMs ?? Math.max(50, (port.staleAfterMs ?? 30_000) / 3);
    let heartbeats = this.#heartbeats.get(everyMs);
    if (!heartbeats) {
      heartbeats = new Heartbeats(everyMs, (error) => this.heard(error));
      this.#heartbeats.set(everyMs, heartbeats);
    }
    return heartbeats.start(port, { ...held, ...(tenant !== undefined && { tenant }) });
  }
}

type Asked<Native> = {
  readonly facts: Facts<Native>;
  readonly rules: RouteRules<Native>;
  readonly mode: Mode;
  readonly resource: string;
  readonly alone: boolean;
};

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

type Made = {
  readonly decision: DecisionView;
  readonly port: LimiterPort;
  readonly caller: Caller;
  readonly mode: Exclude<Mode, 'off'>;
};

function valueOf<Native, T>(
  from: From<Native, T> | undefined,
  native: Native,
): T | Promise<T> | undefined {
  return typeof from === 'function' ? (from as (request: Native) => T | Promise<T>)(native) : from;
}

function reserveOf({ ttlMs, onExpiry }: NonNullable<RouteRules<never>['reserve']>) {
  return { ttlMs, ...(onExpiry && { onExpiry }) };
}
