import { parseMode } from '../../core/mode.ts';
import type { Mode } from '../../core/limit.ts';
import type { DecisionView } from '../../core/limiter-port.ts';
import { Regular } from '../../core/regular.ts';
import { Asking, valueOf, type Asked } from './asking.ts';
import { Concluding } from './concluding.ts';
import type { Entry } from './entry.ts';
import { passed, type Facts, type Outcome } from './facts.ts';
import type { Caller } from './key-parts.ts';
import { Linting } from './linting.ts';
import { after, isOwnPromise, isPromise, type Maybe } from './maybe.ts';
import type { RateLimitOptions, RouteRules } from './options.ts';
import { requireOptions } from './parse-options.ts';
import { problemOf } from './refusal.ts';
import { resourceOf, rulesFor } from './rules.ts';
import { Shielding } from './shielding.ts';
import { Visit, type Limited, type LimitCall } from './visit.ts';

export type GuardParts = {
  /** Fields of options that only one adapter knows. */
  readonly more?: readonly string[];
  /** The framework would put every header's name in lower case: they come so. */
  readonly lowerCase?: boolean;
};

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
  /** Most calls are asked nothing but who sends them: they go the straight way. */
  readonly #isPlain: boolean;

  constructor(
    options: RateLimitOptions<Native>,
    { more = [], lowerCase = false }: GuardParts = {},
  ) {
    requireOptions(options, more);
    const onError = (error: unknown) => this.heard(error);
    this.#options = options;
    this.#linting = new Linting(options);
    this.#asking = new Asking(options, onError, (part) => this.#linting.nothingIn(part));
    this.#concluding = new Concluding(options, { lowerCase, onError });
    this.#shielding = options.shield ? new Shielding(options, onError) : null;
    this.#isPlain = this.#asking.isPlain && asksNothing(options);
  }

  /** The middleware's own question, once for each request. */
  run(facts: Facts<Native>): Maybe<Outcome> {
    this.#linting.seen(facts);
    const visit = Visit.for(facts, this);
    const route = this.#asking.needsRoute ? resourceOf(facts) : '*';
    const own = facts.rules?.();
    if (own === undefined && this.#isPlain) return this.#straight(facts, route, visit);
    const rules = rulesFor(this.#options, route, own);
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

  /** The same as the long way, without asking what is known to be absent. */
  #straight(facts: Facts<Native>, resource: string, visit: Visit<Native>): Maybe<Outcome> {
    try {
      const caller = this.#asking.callerOf(facts);
      const isRegular = caller instanceof Regular;
      const entry = isRegular ? this.#asking.askPlainly(caller, resource) : undefined;
      if (entry?.allowed) return this.#concluding.pass(entry, visit);
      const rules = this.#options;
      const { count } = visit;
      const asked = { facts, rules, mode: 'enforce', resource, alone: false, count } as const;
      if (entry) return this.#concluding.conclude(asked, entry, visit);
      return this.#ask(asked, visit, caller);
    } catch (error) {
      return problemOf(error);
    }
  }

  #limited(
    facts: Facts<Native>,
    rules: RouteRules<Native>,
    route: string,
    visit: Visit<Native>,
  ): Maybe<Outcome> {
    if (!rules.skip) return this.#inMode(facts, rules, route, visit);
    return after(rules.skip(facts.native), (isSkipped) =>
      isSkipped ? passed : this.#inMode(facts, rules, route, visit),
    );
  }

  #inMode(
    facts: Facts<Native>,
    rules: RouteRules<Native>,
    route: string,
    visit: Visit<Native>,
  ): Maybe<Outcome> {
    const mode = modeOf(rules, facts.native);
    if (!isOwnPromise(mode)) return this.#under(mode, facts, rules, route, visit);
    return mode.then((is) => this.#under(is, facts, rules, route, visit));
  }

  #under(
    mode: Mode,
    facts: Facts<Native>,
    rules: RouteRules<Native>,
    route: string,
    visit: Visit<Native>,
  ): Maybe<Outcome> {
    if (mode === 'off') return passed;
    const asked = { facts, rules, mode, resource: route, alone: false, count: visit.count };
    const resource = rules.group ?? this.#options.resource?.(facts.native);
    if (resource === undefined) return this.#ask(asked, visit);
    return after(resource, (named) => this.#ask({ ...asked, resource: named }, visit));
  }

  #ask(asked: Asked<Native>, visit: Visit<Native>, caller?: Maybe<Caller | null>): Maybe<Outcome> {
    try {
      const entry = this.#asking.ask(asked, caller);
      if (!isOwnPromise(entry)) return this.#conclude(asked, entry, visit);
      return entry.then((made) => this.#conclude(asked, made, visit)).catch(problemOf);
    } catch (error) {
      return problemOf(error);
    }
  }

  #conclude(
    asked: Asked<Native>,
    entry: Entry<Native> | null,
    visit: Visit<Native>,
  ): Maybe<Outcome> {
    if (!entry) return passed;
    if (this.#options.onDecision) this.#tell(asked.facts.native, entry.decision);
    return this.#concluding.conclude(asked, entry, visit);
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

/** Nothing of a call is read but its key, nobody listens, and nothing is done when it has ended. */
function asksNothing<Native>(options: RateLimitOptions<Native>): boolean {
  const { skip, mode, group, plan, cost, costs, delay, reserve, refundIf } = options;
  const { routes, resource, onDecision, shield } = options;
  const rules = [skip, mode, group, plan, cost, costs, delay, reserve, refundIf];
  return [...rules, routes, resource, onDecision, shield].every((asked) => asked === undefined);
}

function modeOf<Native>({ mode }: RouteRules<Native>, native: Native): Maybe<Mode> {
  if (mode === undefined) return 'enforce';
  const said = valueOf(mode, native) ?? 'enforce';
  return isPromise(said) ? Promise.resolve(said).then(parsedMode) : parsedMode(said);
}

function parsedMode(said: unknown): Mode {
  return parseMode('mode', said ?? 'enforce');
}
