import { bind, none } from './check.ts';
import type { BoundLimit, Decided, Reading, Verdict } from './engine.ts';
import type { DecisionFacts, Grounds, ShownLimit } from './grounds.ts';
import type { Limit } from './limit.ts';
import { CheckQuestion } from './question.ts';
import type { LimitView } from './view.ts';

/**
 * The grounds of a decision on one limit and nothing else. It stands for the several objects that a
 * limit is while it is bound, read and shown, for making those takes longer than deciding; who wants
 * more than is shown has them made then. What is counted, and shown of it, is each algorithm's own.
 */
export abstract class Lone implements Grounds, ShownLimit, BoundLimit, Reading, LimitView {
  // Declared and not defined: a definition would write each field twice.
  declare readonly limit: Limit;
  declare readonly cost: number;
  declare readonly nowUs: number;
  declare readonly fits: boolean;
  declare readonly resource: string;
  declare readonly subject: string;
  declare readonly tenant: string;
  #facts: DecisionFacts | undefined;

  /** One by one: an object that only carries them would be made for every check. */
  constructor(
    limit: Limit,
    cost: number,
    nowUs: number,
    fits: boolean,
    resource: string,
    subject: string,
    tenant: string,
  ) {
    this.limit = limit;
    this.cost = cost;
    this.nowUs = nowUs;
    this.fits = fits;
    this.resource = resource;
    this.subject = subject;
    this.tenant = tenant;
  }

  abstract get used(): number;
  abstract get remaining(): number;
  abstract get resetAtUs(): number;
  abstract get retryAfterUs(): number;
  abstract get state(): Reading['state'];

  get allowed(): boolean {
    return this.fits || !this.limit.enforced;
  }

  get shown(): ShownLimit {
    return this;
  }

  get views(): readonly ShownLimit[] {
    return [this];
  }

  get bound(): BoundLimit {
    return this;
  }

  get reading(): Reading {
    return this;
  }

  get view(): LimitView {
    return this;
  }

  get verdict(): Verdict {
    return this.fits ? 'ok' : 'exceeded';
  }

  get held(): number {
    return 0;
  }

  get heldUntilUs(): number {
    return 0;
  }

  get blockedUntilUs(): number {
    return 0;
  }

  /** Nothing is kept of a plain check that could be given back, or answered again. */
  get ticket(): null {
    return null;
  }

  get reservation(): null {
    return null;
  }

  get replayOf(): null {
    return null;
  }

  get parts(): BoundLimit['parts'] {
    return this.facts.question.limits[0]?.parts ?? [];
  }

  get facts(): DecisionFacts {
    return (this.#facts ??= factsOf(this));
  }
}

/** As the long way would have found them. */
function factsOf(lone: Lone): DecisionFacts {
  const { limit, resource, subject, tenant, cost, allowed, nowUs, verdict, state } = lone;
  const check = {
    resource,
    subject,
    tenant,
    key: null,
    cost,
    costs: none,
    attributes: none,
    idempotencyKey: null,
    reserve: null,
  };
  const answer: Decided = {
    kind: 'decided',
    allowed,
    nowUs,
    readings: [{ verdict, state, held: 0, heldUntilUs: 0, blockedUntilUs: 0 }],
    replayOf: null,
    ticket: null,
    reservation: null,
    degraded: null,
  };
  const question = new CheckQuestion(check, bind([limit], check));
  return { check, question, answer, basis: 'exact', degradedReason: null };
}
