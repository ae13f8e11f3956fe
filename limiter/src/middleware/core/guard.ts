import { createHash } from 'node:crypto';
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
import type { From, RateLimitOptions, RouteRules } from './options.ts';
import { parseHeaderOptions, parseKeyRules, requireOptions } from './parse-options.ts';
import { problemOf, refusalOf, toOutcome } from './refusal.ts';
import { resourceOf, rulesFor } from './rules.ts';
import { Shielding } from './shielding.ts';
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
  readonly #shielding: Shielding<Native> | null;

  constructor(options: RateLimitOptions<Native>, { more = [] }: GuardParts = {}) {
    requireOptions(options, more);
    this.#options = options;
    this.#key = parseKeyRules(options);
    this.#limiters = new Limiters(options, this.#key.by);
    this.#headers = parseHeaderOptions(options);
    this.#holdMsMax = parseWhole('holdMsMax', options.holdMsMax ?? 10_000, { min: 0, max: 60_000 });
    const onError = (error: unknown) => this.heard(error);
    this.#shielding = options.shield ? new Shielding(options, onError) : null;
    this.#needsRoute = this.#limiters.countsByResource || options.routes !== undefined;
  }

  /** The middleware's own question, once for each request. */
  async run(facts: Facts<Native>): Promise<Outcome> {
    Visit.for(facts, this);
    const outcome = await this.#limited(facts);
    if (!this.#shielding || outcome === null || outcome.kind !== 'pass') return outcome ?? passed;
    return this.#shielded(facts);
  }

  /** Null: the route opted out. */
  async #limited(facts: Facts<Native>): Promise<Outcome | null> {
    const route = this.#needsRoute ? resourceOf(facts) : '*';
    const rules = rulesFor(this.#options, route, facts.rules?.());
    if (rules === false) return null;
    if (await rules.skip?.(facts.native)) return passed;
    const mode = await this.#modeOf(rules, facts.native);
    if (mode === 'off') return passed;
    const resource = rules.group ?? (await this.#options.resource?.(facts.native)) ?? route;
    return this.#ask({ facts, rules, mode, resource, alone: false, ofHandler: false });
  }

  /** What was let through, answered by who answered it before. */
  async #shielded(facts: Facts<Native>): Promise<Outcome> {
    const caller = await callerOf(facts, this.#key);
    if (!this.#shielding || !caller?.identified) return passed;
    const outcome = await this.#shielding.enter(facts, caller, this.#idempotencyKeyOf(facts));
    if (outcome.kind !== 'refuse') return outcome;
    return { ...outcome, headers: { ...Visit.for(facts, this).headers(), ...outcome.headers } };
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
    const rules = { ...call, cost };
    const asked = { facts, rules, mode, resource, alone, ofHandler: true };
    const outcome = await this.#ask(asked);
    return { outcome, decision: Visit.for(facts, this).last ?? null };
  }

  /** What went wrong after a decision. */
  heard(error: unknown): void {
    this.#options.onError?.(error);
  }

  async #modeOf(rules: RouteRules<Native>, native: Native): Promise<Mode> {
    return parseMode('mode', (await valueOf(rules.mode, native)) ?? 'enforce');
  }

  async #ask(asked: Asked<Native>): Promise<Outcome> {
    const { facts, rules, mode } = asked;
    const caller = await callerOf(facts, this.#key);
    if (!caller) return passed;
    const plan = await valueOf(rules.plan, facts.native);
    const port = this.#limiters.of({
      plan,
      limits: asked.alone ? rules.limits : this.#extra(rules),
      alone: asked.alone,
    });
    try {
      const check = await this.#checkOf(asked, caller);
      const named = plan !== undefined && this.#limiters.asksForPlan() ? { ...check, plan } : check;
      const decision = await this.#decide(port, named);
      this.#options.onDecision?.(facts.native, decision);
      return await this.#conclude(asked, {
        decision,
        port,
        caller,
        mode: mode as Exclude<Mode, 'off'>,
      });
    } catch (error) {
      return problemOf(error);
    }
  }

  /** Limits of the route, besides those that the limiter has already. */
  #extra(rules: RouteRules<Native>): RouteRules<Native>['limits'] {
    return rules.limits === this.#options.limits ? undefined : rules.limits;
  }

  async #checkOf(
    { facts, rules, resource, ofHandler: alone }: Asked<Native>,
    caller: Caller,
  ): Promise<Check> {
    const { native } = facts;
    const cost = await valueOf(rules.cost, native);
    const costs = await valueOf(rules.costs, native);
    const idempotencyKey = this.#checkKeyOf(facts, alone);
    const { tenant, subject, attributes } = caller;
    return {
      resource,
      subject,
      ...(tenant !== undefined && { tenant }),
      ...(attributes && { attributes }),
      ...(cost !== undefined && { cost }),
      ...(costs !== undefined && { costs }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(rules.reserve && { reserve: reserveOf(rules.reserve) }),
    };
  }

  /** A handler's questions are others than the middleware's: each has a key made of the caller's. */
  #checkKeyOf(facts: Facts<Native>, ofHandler: boolean): string | undefined {
    const key = this.#idempotencyKeyOf(facts);
    if (key === undefined || !ofHandler) return key;
    const { count } = Visit.for(facts, this);
    return createHash('sha256').update(`${count} ${key}`).digest('base64url');
  }

  #idempotencyKeyOf(facts: Facts<Native>): string | undefined {
    const { idempotencyKey: wanted = this.#shielding !== null } = this.#options;
    if (wanted === false) return undefined;
    const text = facts.header(wanted === true ? 'idempotency-key' : wanted.toLowerCase());
    // The standard's header is a quoted string; many clients send it bare.
    return text === undefined ? undefined : (/^"(.*)"$/.exec(text)?.[1] ?? text);
  }

  /** A limiter that throws for its store breaks its promise; nobody is answered with a 500 for that. */
  async #decide(port: LimiterPort, check: Check): Promise<DecisionView> {
    try {
      return port.checkSync ? port.checkSync(check) : await port.check(check);
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof IdempotencyConflict) throw error;
      this.heard(error);
      const reason = error instanceof StoreFailure ? error.reason : 'limiter_threw';
      return unaskedDecision(check, this.#options.onFailure ?? 'open', reason);
    }
  }

  async #conclude({ facts, rules, ofHandler }: Asked<Native>, made: Made): Promise<Outcome> {
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
      // A retry's ticket is that of the first call, which gives it back.
      isOurs: !decision.replayed,
      stop: decision.replayed ? null : this.#beat(port, decision, caller.tenant),
      isSettled: false,
    });
    const headers = visit.headers();
    if (!decision.allowed && mode === 'enforce') return this.#refuse(facts, decision, headers);
    facts.response.setHeaders(headers);
    const isHeld =
      rules.delay === 'hold' && mode === 'enforce' && decision.delayMs > 0 && !ofHandler;
    if (!isHeld) return passed;
    const stayed = await hold(Math.min(decision.delayMs, this.#holdMsMax), facts.response);
    return stayed ? passed : { kind: 'gone' };
  }

  async #refuse(
    facts: Facts<Native>,
    decision: DecisionView,
    headers: Readonly<Record<string, string>>,
  ): Promise<Outcome> {
    const refusal = refusalOf(decision, headers);
    const changed = await this.#options.onRefused?.(facts.native, { ...refusal, decision });
    if (!changed) return toOutcome(refusal);
    const isText = typeof changed.body === 'string' && changed.contentType === undefined;
    return toOutcome({
      ...refusal,
      ...(changed.body !== undefined && {
        contentType: isText ? 'text/plain; charset=utf-8' : 'application/json',
      }),
      ...changed,
      headers: { ...headers, ...changed.headers },
    });
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
  readonly ofHandler: boolean;
};

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
