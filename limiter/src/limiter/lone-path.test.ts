import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Check } from '../core/check.ts';
import { Decision, type ShownLimit } from '../core/decision.ts';
import type { Reading } from '../core/engine.ts';
import type { FixedWindowOptions, LimitInput, TokenBucketOptions } from '../core/limit-input.ts';
import type { Limit } from '../core/limit.ts';
import { parseLimit } from '../core/parse-limit.ts';
import { Regular } from '../core/regular.ts';
import { LonePath } from '../engines/memory/lone-path.ts';
import { MemoryEngine } from '../engines/memory/index.ts';
import { Limiter, SyncLimiter } from './limiter.ts';

/** A check with more to it, or one that is wrong. */
const check = fc.record(
  {
    resource: fc.constantFrom('api', 'api', 'files', ''),
    subject: fc.constantFrom('ann', 'ann', 'bob', '\ud800'),
    tenant: fc.constantFrom(undefined, undefined, 'acme'),
    cost: fc.constantFrom(1, 1, 1, 2, 3, 0, 7, 99, 2 ** 50, 0.5, -1),
    reserve: fc.constantFrom({ ttlMs: 500 }, { ttlMs: 9_000, onExpiry: 'keep' as const }),
    idempotencyKey: fc.constantFrom('once-and-for-all', 'once-or-twice'),
    costs: fc.constant({ tokens: 2 }),
    attributes: fc.constant({ ip: '::1' }),
    unknown: fc.constant(1),
  },
  { requiredKeys: ['resource', 'subject'] },
);
const plainly = fc.record(
  {
    resource: fc.constantFrom('api', 'api', 'api', 'files', ''),
    subject: fc.constantFrom('ann', 'ann', 'bob', 'cy'),
    tenant: fc.constantFrom('default', 'acme'),
    cost: fc.constantFrom(1, 1, 1, 2, 3, 9),
  },
  { requiredKeys: ['resource', 'subject'] },
);

const backpressure = { from: 0.5, maxDelayMs: 800, curve: 'linear' } as const;

function bucket(numbers: TokenBucketOptions): LimitInput {
  return { algorithm: 'token_bucket', ...numbers };
}

function window(numbers: FixedWindowOptions): LimitInput {
  return { algorithm: 'fixed_window', ...numbers };
}

const step = fc.oneof(
  { weight: 20, arbitrary: plainly.map((asked) => ({ kind: 'check' as const, asked })) },
  { weight: 2, arbitrary: check.map((asked) => ({ kind: 'check' as const, asked })) },
  {
    weight: 8,
    arbitrary: fc
      .oneof(
        fc.integer({ min: 0, max: 3_000_000 }),
        fc.integer({ min: -2_000_000, max: 0 }),
        fc.integer({ min: 0, max: 60_000_000 }),
      )
      .map((us) => ({ kind: 'wait' as const, us })),
  },
  { weight: 2, arbitrary: fc.nat({ max: 30 }).map((ago) => ({ kind: 'refund' as const, ago })) },
  { weight: 1, arbitrary: fc.nat({ max: 5 }).map((ago) => ({ kind: 'settle' as const, ago })) },
  { weight: 1, arbitrary: plainly.map((asked) => ({ kind: 'reset' as const, asked })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'change' as const }) },
);

/** Each with what it is changed to, and back. */
const limits: readonly [LimitInput, LimitInput][] = [
  [bucket({ capacity: 5, refillPerSecond: 2 }), bucket({ capacity: 3, refillPerSecond: 4 })],
  [
    bucket({ capacity: 4, refillPerSecond: 1, per: ['tenant', 'subject'] }),
    // No whole microseconds: it goes the long way, and leaves fractions behind.
    bucket({ capacity: 4, refillPerSecond: 3, per: ['tenant', 'subject'] }),
  ],
  [
    bucket({ capacity: 3, refillPerSecond: 1, mode: 'warn' }),
    bucket({ capacity: 3, refillPerSecond: 1 }),
  ],
  [
    bucket({ capacity: 7, refillPerSecond: 1, mode: 'shadow' }),
    bucket({ capacity: 9, refillPerSecond: 1, mode: 'shadow' }),
  ],
  [
    bucket({ capacity: 6, refill: { tokens: 1, every: '7 s' }, backpressure }),
    bucket({ capacity: 6, refill: { tokens: 1, every: '2 s' }, backpressure }),
  ],
  [window({ limit: 5, window: '4 s' }), window({ limit: 5, window: '9 s' })],
  [
    window({ limit: 5, window: '7 s', align: 'first_request', per: ['tenant', 'subject'] }),
    window({ limit: 2, window: '3 s', align: 'first_request', per: ['tenant', 'subject'] }),
  ],
  [window({ limit: 4, window: '30 s', mode: 'warn' }), window({ limit: 4, window: '30 s' })],
  [
    window({ limit: 6, window: '20 s', mode: 'shadow' }),
    window({ limit: 3, window: '20 s', mode: 'shadow' }),
  ],
  [
    window({ limit: 8, window: '10 s', backpressure }),
    window({ limit: 8, window: '1 min', backpressure }),
  ],
];

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** The same limit both ways, in engines of their own and at the same time. */
class BothWays {
  #limit: Limit;
  #other: Limit;
  readonly #countersMax: number;
  /** Those who are known by now, where they are; they outlive engines and limits. */
  readonly #regulars: Map<string, Regular> | null;
  readonly #decided: [Decision, Decision][] = [];
  #nowUs = Date.UTC(2026, 0, 15, 12) * 1000;
  #engines: [MemoryEngine, MemoryEngine];
  #short: SyncLimiter;
  #long: Limiter;

  constructor(
    [input, changed]: readonly [LimitInput, LimitInput],
    { countersMax, asRegulars }: { readonly countersMax: number; readonly asRegulars: boolean },
  ) {
    this.#regulars = asRegulars ? new Map() : null;
    this.#limit = parseLimit(input, { definedBy: 'test', field: 'limit' }) as Limit;
    this.#other = parseLimit(changed, { definedBy: 'test', field: 'limit' }) as Limit;
    this.#countersMax = countersMax;
    this.#engines = [this.#open(), this.#open()];
    [this.#short, this.#long] = this.#limiters();
  }

  #limiters(): [SyncLimiter, Limiter] {
    const limits = [this.#limit];
    const [here, engine] = this.#engines;
    return [
      new SyncLimiter(here, limits, 'limiter'),
      new Limiter({ engine, limits, name: 'limiter' }),
    ];
  }

  #open(): MemoryEngine {
    const engine = new MemoryEngine({ clock: () => this.#nowUs, countersMax: this.#countersMax });
    void engine.close();
    return engine;
  }

  /** What is said to a step here and there. */
  async take(one: Step): Promise<[unknown, unknown]> {
    switch (one.kind) {
      case 'check':
        return this.#check(one.asked as Check);
      case 'wait':
        this.#nowUs += one.us;
        return [null, null];
      case 'refund': {
        const [here, there] = this.#decided.at(-1 - one.ago) ?? [];
        if (!here || !there) return [null, null];
        return [await this.#short.refund(here), await this.#long.refund(there)];
      }
      case 'settle': {
        const held = this.#decided.filter(([decision]) => decision.reservation !== null);
        const [here, there] = held.at(-1 - one.ago) ?? [];
        if (!here?.reservation || !there?.reservation) return [null, null];
        const real = { cost: 2 };
        return [
          await this.#short.settle(here.reservation.id, real),
          await this.#long.settle(there.reservation.id, real),
        ];
      }
      case 'reset':
        return [
          await outcomeOf(() => this.#short.reset(one.asked)),
          await outcomeOf(() => this.#long.reset(one.asked)),
        ];
      case 'restart': {
        const [here, there] = this.#engines.map((engine) => engine.dump());
        this.#engines = [this.#open(), this.#open()];
        if (here) this.#engines[0].restore(here);
        if (there) this.#engines[1].restore(there);
        [this.#short, this.#long] = this.#limiters();
        return this.counters();
      }
      case 'change':
        [this.#limit, this.#other] = [this.#other, this.#limit];
        [this.#short, this.#long] = this.#limiters();
        return [null, null];
    }
  }

  async #check(asked: Check): Promise<[unknown, unknown]> {
    const here = await outcomeOf(
      async () => this.#checkRegular(asked) ?? this.#short.checkSync(asked),
    );
    const there = await outcomeOf(() => this.#long.check(asked));
    if (here instanceof Decision && there instanceof Decision) this.#decided.push([here, there]);
    return [told(here), told(there)];
  }

  /** As the middleware does: who asks for nothing out of the ordinary, once. */
  #checkRegular({ resource, subject, tenant, cost = 1, ...more }: Check): Decision | undefined {
    if (!this.#regulars || cost !== 1 || Object.keys(more).length > 0) return undefined;
    const name = JSON.stringify([subject, tenant]);
    const regular = this.#regulars.get(name) ?? new Regular(subject, tenant);
    this.#regulars.set(name, regular);
    const lone = SyncLimiter.lonePathOf(this.#short)?.decideFor(regular, resource);
    return lone && new Decision(lone);
  }

  counters(): [unknown, unknown] {
    const [here, there] = this.#engines.map((engine) => engine.dump().cells.map(withoutIds));
    return [here, there];
  }
}

/** Holds are named by their questions. */
function withoutIds(cell: ReturnType<MemoryEngine['dump']>['cells'][number]) {
  return { ...cell, holds: cell.holds.map(([, hold]) => hold) };
}

async function outcomeOf<T>(work: () => Promise<T>): Promise<T | Error> {
  try {
    return await work();
  } catch (error) {
    return error as Error;
  }
}

/** All that a decision says to anybody, but for its id. */
function told(decision: Decision | Error): unknown {
  if (!(decision instanceof Decision)) return { name: decision.name, message: decision.message };
  const { decisionId, reservation, ...said } = decision.toJSON();
  const { check: asked, question, answer } = Decision.factsOf(decision);
  return {
    ...said,
    asked,
    limits: question.limits,
    sameId: decisionId === decision.decisionId,
    reservedUntil: (reservation as Decision['reservation'])?.expiresAt ?? null,
    frozen: [decision, decision.limits, decision.limits[0]].map((one) => Object.isFrozen(one)),
    nowUs: answer.nowUs,
    readings: answer.readings.map(toldReading),
    views: Decision.viewsOf(decision).map(toldView),
    shown: [Decision.shownOf(decision)].map((shown) => shown && toldView(shown)),
  };
}

function toldView({ view, bound, reading }: ShownLimit) {
  const { used, remaining, resetAtUs, retryAfterUs } = view;
  const { limit, parts, cost } = bound;
  return { used, remaining, resetAtUs, retryAfterUs, limit, parts, cost, ...toldReading(reading) };
}

function toldReading({ verdict, state, held, heldUntilUs, blockedUntilUs }: Reading) {
  return { verdict, state, held, heldUntilUs, blockedUntilUs };
}

afterEach(() => vi.restoreAllMocks());

describe.each(limits)('%j or %j', (...input) => {
  it.each([
    { countersMax: 1_000_000, asRegulars: false },
    { countersMax: 3, asRegulars: false },
    { countersMax: 1_000_000, asRegulars: true },
    { countersMax: 3, asRegulars: true },
  ])('decides alike both ways, %j', async (way) => {
    const short = vi.spyOn(LonePath.prototype, way.asRegulars ? 'decideFor' : 'decide');
    const schedule = fc.array(step, { minLength: 1, maxLength: 120, size: 'max' });
    const alike = fc.asyncProperty(schedule, async (steps) => {
      const both = new BothWays(input, way);
      for (const [at, one] of steps.entries()) {
        const [here, there] = await both.take(one);
        // `expect` is asked for its words: to find no difference takes it several times as long.
        const said = isDeepStrictEqual(here, there) ? there : here;
        expect(said, `step ${at}: ${one.kind}`).toEqual(there);
      }
      const [here, there] = both.counters();
      expect(here).toEqual(there);
    });
    await fc.assert(alike, { numRuns: 60, seed: 20_260_115 });
    const taken = short.mock.results.filter(({ value }) => value !== undefined).length;
    // Regulars ask for one at a time, so that fewer of the checks are theirs.
    expect(taken).toBeGreaterThan(way.asRegulars ? 150 : 200);
  });
});
