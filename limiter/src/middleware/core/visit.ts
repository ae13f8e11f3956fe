import type { DecisionView, RealCost } from '../../core/limiter-port.ts';
import type { Mode } from '../../core/limit.ts';
import type { Entry } from './entry.ts';
import type { Facts, Outcome, ResponseEnd } from './facts.ts';
import { mergedHeaders, writeAll, writeTold } from './merged-headers.ts';
import type { RouteRules } from './options.ts';

/** What was decided about a request so far: `req.rateLimit`, or `rateLimitOf(request)`. */
export type RateLimit = {
  /** The strictest decision: one that refused, else the one with the least left. */
  readonly decision: DecisionView;
  /** All of them, in their order. */
  readonly decisions: readonly DecisionView[];
  readonly mode: Exclude<Mode, 'off'>;
  /** Refused by a limit, and let through by the mode. */
  readonly wouldRefuse: boolean;
  /** How we know: `fail_open` says that nobody was asked. */
  readonly basis: DecisionView['basis'];
  readonly degradedReason: string | null;
  /** What the call really cost; else it is settled at what was reserved, when it has ended. */
  settle(real: RealCost): Promise<void>;
};

/** What a handler asks for itself, once it knows more. */
export type LimitCall<Native> = Omit<RouteRules<Native>, 'skip' | 'mode'> & {
  readonly resource?: string;
};

export type Limited = { readonly outcome: Outcome; readonly decision: DecisionView | null };

/** Who asks about a request. */
export type Asker<Native> = {
  limit(facts: Facts<Native>, call: LimitCall<Native>): Promise<Limited>;
  heard(error: unknown): void;
};

/** A response ends once: its refund is not sent again, and need not be told from one that is. */
const rememberMs = 1000;

/** On the request itself: a map of all requests under way would be collected anew all the time. */
const visitOf = Symbol('sluice.visit');
type Visited<Native> = { [visitOf]?: Visit<Native> };

/** A request under limits, from its first decision to the end of its response. */
export class Visit<Native> {
  // Declared and not defined: a definition would write each field twice.
  declare readonly facts: Facts<Native>;
  /** The last that decided: further questions go the same way. */
  declare guard: Asker<Native>;
  /** Most requests have one decision: a list for it would be made for nothing. */
  #first: Entry<Native> | null = null;
  #more: Entry<Native>[] | null = null;
  #isWatched = false;
  #rateLimit: RateLimit | undefined;

  private constructor(facts: Facts<Native>, guard: Asker<Native>) {
    this.facts = facts;
    this.guard = guard;
  }

  /** All guards of a request are of one framework, and so speak of the same kind of request. */
  static of<Native>(identity: object): Visit<Native> | undefined {
    return (identity as Visited<Native>)[visitOf];
  }

  static for<Native>(facts: Facts<Native>, guard: Asker<Native>): Visit<Native> {
    let visit = Visit.of<Native>(facts.identity);
    if (visit) visit.guard = guard;
    else {
      visit = new Visit(facts, guard);
      (facts.identity as Visited<Native>)[visitOf] = visit;
    }
    return visit;
  }

  add(entry: Entry<Native>): void {
    if (!this.#first) this.#first = entry;
    else if (this.#more) this.#more.push(entry);
    else this.#more = [entry];
  }

  #entries(): readonly Entry<Native>[] {
    const first = this.#first;
    return first ? [first, ...(this.#more ?? [])] : [];
  }

  /** Something is to be done when the response has ended. */
  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.facts.response.onEnd((end) => void this.#end(end));
  }

  /** How many decisions there were. */
  get count(): number {
    return this.#first ? 1 + (this.#more?.length ?? 0) : 0;
  }

  /** What the caller is told in all, to be sent with the response. */
  headers(): Record<string, string> {
    return mergedHeaders(this.#entries());
  }

  /** The same to the response itself. */
  tell(): void {
    const { response } = this.facts;
    if (response.isSent) return;
    if (this.#first && !this.#more) writeTold(response, this.#first);
    else writeAll(response, this.headers());
  }

  /** The newest decision. */
  get last(): DecisionView | undefined {
    return (this.#more?.at(-1) ?? this.#first)?.decision;
  }

  /** Says what is the case when it is read, also after further decisions. */
  get rateLimit(): RateLimit | undefined {
    return this.#first ? (this.#rateLimit ??= new Decided(() => this.#entries())) : undefined;
  }

  async #end(end: ResponseEnd): Promise<void> {
    const { native: request } = this.facts;
    for (const entry of this.#entries()) {
      if (!entry.isOurs) continue;
      entry.stop?.();
      const { decision, rules, port, tenant } = entry;
      const named = tenant === undefined ? {} : { tenant };
      try {
        if (decision.ticket !== null) await port.release(decision.ticket, named);
        const ended = { ...end, request, decision };
        if (!entry.isSettled) await settle(entry, (await rules.reserve?.settle?.(ended)) ?? {});
        const isRefunded = decision.allowed && (await rules.refundIf?.(ended));
        if (isRefunded) await port.refund(decision, {}, { rememberMs });
      } catch (error) {
        this.guard.heard(error);
      }
    }
  }
}

/** A class, for it is made for every request: its getters are made once. */
class Decided implements RateLimit {
  readonly #entries: () => readonly Entry<never>[];

  constructor(entries: () => readonly Entry<never>[]) {
    this.#entries = entries;
  }

  get decision(): DecisionView {
    return this.#shown().decision;
  }

  get decisions(): readonly DecisionView[] {
    return this.#entries().map(({ decision }) => decision);
  }

  get mode(): Exclude<Mode, 'off'> {
    return this.#shown().mode;
  }

  get wouldRefuse(): boolean {
    const { decision, mode } = this.#shown();
    return !decision.allowed && mode !== 'enforce';
  }

  get basis(): DecisionView['basis'] {
    return this.decision.basis;
  }

  get degradedReason(): string | null {
    return this.decision.degradedReason;
  }

  async settle(real: RealCost): Promise<void> {
    for (const entry of this.#entries()) await settle(entry, real);
  }

  toJSON(): Omit<RateLimit, 'settle'> {
    const { decision, decisions, mode, wouldRefuse, basis, degradedReason } = this;
    return { decision, decisions, mode, wouldRefuse, basis, degradedReason };
  }

  #shown(): Entry<never> {
    return this.#entries().reduce((best, one) => (isStricter(one, best) ? one : best));
  }
}

/** Once; what nothing is said of costs what was reserved. */
async function settle<Native>(entry: Entry<Native>, real: RealCost): Promise<void> {
  const { decision, port, tenant } = entry;
  if (entry.isSettled || !entry.isOurs || !decision.reservation) return;
  entry.isSettled = true;
  const { cost = decision.cost, costs } = real;
  const named = tenant === undefined ? {} : { tenant };
  await port.settle(decision.reservation.id, { cost, ...(costs && { costs }), ...named });
}

type Shown = Pick<Entry<never>, 'decision'>;

function isStricter({ decision: a }: Shown, { decision: b }: Shown): boolean {
  if (a.allowed !== b.allowed) return !a.allowed;
  return left(a) < left(b);
}

function left({ limit, remaining }: DecisionView): number {
  return limit === null || remaining === null ? Infinity : remaining / Math.max(1, limit);
}
