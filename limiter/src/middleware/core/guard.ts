import { parseMode } from '../../core/mode.ts';
import type { Mode } from '../../core/limit.ts';
import type { DecisionView } from '../../core/limiter-port.ts';
import { Asking, valueOf, type Asked } from './asking.ts';
import { Concluding } from './concluding.ts';
import { passed, type Facts, type Outcome } from './facts.ts';
import { Linting } from './linting.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import type { RateLimitOptions, RouteRules } from './options.ts';
import { requireOptions } from './parse-options.ts';
import { problemOf } from './refusal.ts';
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
  readonly #asking: Asking<Native>;
  readonly #concluding: Concluding<Native>;
  readonly #shielding: Shielding<Native> | null;
  readonly #linting: Linting<Native>;

  constructor(options: RateLimitOptions<Native>, { more = [] }: GuardParts = {}) {
    requireOptions(options, more);
    const onError = (error: unknown) => this.heard(error);
    this.#options = options;
    this.#linting = new Linting(options);
    this.#asking = new Asking(options, onError, (part) => this.#linting.nothingIn(part));
    this.#concluding = new Concluding(options, onError);
    this.#shielding = options.shield ? new Shielding(options, onError) : null;
  }

  /** The middleware's own question, once for each request. */
  run(facts: Facts<Native>): Maybe<Outcome> {
    this.#linting.seen(facts);
    const visit = Visit.for(facts, this);
    const route = this.#asking.needsRoute ? resourceOf(facts) : '*';
    const rules = rulesFor(this.#options, route, facts.rules?.());
    if (rules === false) return passed;
    const limited = this.#limited(facts, rules, route, visit);
    if (!this.#shielding) return limited;
    return after(limited, (outcome) =>
      outcome.kind === 'pass' ? this.#shielded(facts, visit) : outcome,
    );
  }

  /** A further question of the handler's. */
  async limit(facts: Facts<Native>, call: LimitCall<Native>): Promise<Limited> {
    const route = resourceOf(facts);
    const own = rulesFor(this.#options, route, facts.rules?.());
    const mode = await modeOf(own === false ? {} : own, facts.native);
    if (mode === 'off') return { outcome: passed, decision: null };
    // The request itself was counted before; what is new is what the call names.
    const rules = { ...call, cost: call.cost ?? (call.limits ? 1 : 0) };
    const resource = call.group ?? call.resource ?? route;
    const visit = Visit.for(facts, this);
    const asked = { facts, rules, mode, resource, alone: call.limits !== undefined };
    // At least one, also where the middleware skipped its own.
    const outcome = await this.#ask({ ...asked, count: visit.count + 1 }, visit);
    return { outcome, decision: visit.last ?? null };
  }

  /** What went wrong after a decision. */
  heard(error: unknown): void {
    this.#options.onError?.(error);
  }

  #limited(
    facts: Facts<Native>,
    rules: RouteRules<Native>,
    route: string,
    visit: Visit<Native>,
  ): Maybe<Outcome> {
    const under = (mode: Mode): Maybe<Outcome> => {
      if (mode === 'off') return passed;
      const named = rules.group ?? this.#options.resource?.(facts.native);
      return after(named, (resource = route) =>
        this.#ask({ facts, rules, mode, resource, alone: false, count: visit.count }, visit),
      );
    };
    if (!rules.skip) return after(modeOf(rules, facts.native), under);
    return after(rules.skip(facts.native), (isSkipped) =>
      isSkipped ? passed : after(modeOf(rules, facts.native), under),
    );
  }

  #ask(asked: Asked<Native>, visit: Visit<Native>): Maybe<Outcome> {
    const ask = () =>
      after(this.#asking.ask(asked), (made) => {
        if (!made) return passed;
        this.#tell(asked.facts.native, made.decision);
        return this.#concluding.conclude(asked, made, visit);
      });
    return attempt(ask, problemOf);
  }

  /** Who listens is no reason to fail: what was decided may hold a slot by now. */
  #tell(native: Native, decision: DecisionView): void {
    try {
      this.#options.onDecision?.(native, decision);
    } catch (error) {
      this.heard(error);
    }
  }

  /** What was let through may have been answered before. */
  async #shielded(facts: Facts<Native>, visit: Visit<Native>): Promise<Outcome> {
    const caller = await this.#asking.callerOf(facts);
    // Who has no name would get the answers of all others without one.
    if (!this.#shielding || !caller?.identified) return passed;
    const key = this.#asking.idempotencyKeyOf(facts);
    const outcome = await this.#shielding.enter(facts, caller, key);
    if (outcome.kind !== 'refuse') return outcome;
    return { ...outcome, headers: { ...visit.headers(), ...outcome.headers } };
  }
}

function modeOf<Native>({ mode }: RouteRules<Native>, native: Native): Maybe<Mode> {
  return after(valueOf(mode, native), (said = 'enforce') => parseMode('mode', said));
}
