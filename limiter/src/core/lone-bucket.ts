import type { TokenBucketNumbers, TokenBucketState } from './algorithms/token-bucket.ts';
import { bind, none } from './check.ts';
import type { BoundLimit, Decided, Reading, Verdict } from './engine.ts';
import type { DecisionFacts, Grounds, ShownLimit } from './grounds.ts';
import type { Limit } from './limit.ts';
import { CheckQuestion } from './question.ts';
import type { LimitView } from './view.ts';

/** A bucket whose tokens take whole microseconds each: no fraction is ever left over. */
export type WholeBucket = Limit & { readonly numbers: TokenBucketNumbers & { readonly tokens: 1 } };

export function isWholeBucket(limit: Limit): limit is WholeBucket {
  return limit.numbers.algorithm === 'token_bucket' && limit.numbers.tokens === 1;
}

/**
 * The grounds of a decision on one bucket. It stands for the several objects that a limit is while
 * it is bound, read and shown, for making those takes longer than deciding; who wants more than is
 * shown has them made then. What it shows are the sums of `tokenBucket.show`, without fractions.
 */
export class LoneBucket implements Grounds, ShownLimit, BoundLimit, Reading, LimitView {
  // Declared and not defined: a definition would write each field twice.
  declare readonly limit: WholeBucket;
  declare readonly cost: number;
  declare readonly nowUs: number;
  declare readonly emptyAtUs: number;
  declare readonly fits: boolean;
  declare readonly resource: string;
  declare readonly subject: string;
  declare readonly tenant: string;
  #facts: DecisionFacts | undefined;

  /** One by one: an object that only carries them would be made for every check. */
  constructor(
    limit: WholeBucket,
    cost: number,
    nowUs: number,
    emptyAtUs: number,
    fits: boolean,
    resource: string,
    subject: string,
    tenant: string,
  ) {
    this.limit = limit;
    this.cost = cost;
    this.nowUs = nowUs;
    this.emptyAtUs = emptyAtUs;
    this.fits = fits;
    this.resource = resource;
    this.subject = subject;
    this.tenant = tenant;
  }

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

  get used(): number {
    return this.limit.size - inBucket(this);
  }

  get remaining(): number {
    return Math.max(0, inBucket(this));
  }

  get resetAtUs(): number {
    return this.emptyAtUs + this.limit.numbers.fillUs;
  }

  get retryAfterUs(): number {
    return this.fits ? 0 : this.emptyAtUs + this.cost * this.limit.numbers.perUs - this.nowUs;
  }

  get verdict(): Verdict {
    return this.fits ? 'ok' : 'exceeded';
  }

  get state(): TokenBucketState {
    return { emptyAtUs: this.emptyAtUs, fraction: 0 };
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

  get parts(): BoundLimit['parts'] {
    return this.facts.question.limits[0]?.parts ?? [];
  }

  get facts(): DecisionFacts {
    return (this.#facts ??= factsOf(this));
  }
}

function inBucket({ limit, nowUs, emptyAtUs }: LoneBucket): number {
  return Math.floor((nowUs - emptyAtUs) / limit.numbers.perUs);
}

/** As the long way would have found them. */
function factsOf(lone: LoneBucket): DecisionFacts {
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
