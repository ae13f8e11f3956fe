import { createLimiter, type LimitInput } from 'sluice';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../platform/src/database/index.ts';
import { RolloutCollector } from '../../../platform/src/evidence/rollout/index.ts';
import { FiguresReader } from '../../../platform/src/evidence/rollout/figures.ts';
import { RolloutWriter } from '../../../platform/src/evidence/rollout/writer.ts';
import { migratedDatabase, type PostgresDatabase } from '../../support/databases.ts';
import { makeTenant, names } from './rig.ts';

type Call = { readonly subject: string; readonly cost: number; readonly afterMs: number };

const kinds: Readonly<Record<string, (size: number) => LimitInput>> = {
  token_bucket: (capacity) => ({ algorithm: 'token_bucket', capacity, refillPerSecond: 0.5 }),
  fixed_window: (limit) => ({ algorithm: 'fixed_window', limit, window: '1 min' }),
  sliding_window_counter: (limit) => ({
    algorithm: 'sliding_window_counter',
    limit,
    window: '1 min',
  }),
};

/** Fifty subjects, of whom some ask for far more than others. */
const traffic = fc.array(
  fc.record({
    subject: fc
      .integer({ min: 0, max: 50 ** 2 - 1 })
      .map((at) => `user:${Math.floor(Math.sqrt(at))}`),
    cost: fc.integer({ min: 1, max: 4 }),
    afterMs: fc.integer({ min: 0, max: 2000 }),
  }),
  { minLength: 400, maxLength: 600 },
);

const startUs = Date.UTC(2026, 0, 15, 12) * 1000;

function decide(limit: LimitInput, calls: readonly Call[]) {
  let nowUs = startUs;
  const limiter = createLimiter({ limits: [limit], clock: () => nowUs });
  return calls.map((call) => {
    nowUs += call.afterMs * 1000;
    const { subject, cost } = call;
    return { subject, decision: limiter.checkSync({ resource: 'GET:/a', subject, cost }) };
  });
}

describe('the suggested number, and its alternatives', () => {
  let made: PostgresDatabase;
  let database: Database;
  beforeAll(async () => {
    made = await migratedDatabase();
    database = await openDatabase({ url: made.url });
  });
  afterAll(async () => {
    await database.close();
    await made.drop();
  });

  /** Watched in shadow, written, and read. */
  async function suggest(limit: LimitInput, calls: readonly Call[], atMost: number) {
    const { db } = database;
    const tenant = randomUUID();
    await makeTenant(db, tenant);
    const collector = new RolloutCollector({ names, onUntracked: () => {} });
    for (const { subject, decision } of decide({ ...limit, mode: 'shadow' }, calls)) {
      collector.check({
        route: '/v1/check',
        tenant,
        tier: 'free',
        epoch: { tenant: 1, shared: 1 },
        planId: null,
        policy: null,
        subject,
        resource: 'GET:/a',
        decision,
        durationUs: 1,
        requestId: null,
      });
    }
    await new RolloutWriter({ db, source: collector, names }).flush();
    const { id } = await db
      .selectFrom('rollout_limits')
      .where('tenant_id', '=', tenant)
      .select('id')
      .executeTakeFirstOrThrow();
    const from = new Date(startUs / 1000);
    const to = new Date(startUs / 1000 + 86_400_000);
    const observed = { limitId: id, stage: 'shadow', from, to, subjectsFrom: from } as const;
    const reader = new FiguresReader(db);
    const { sample } = await reader.figures(observed);
    return {
      subjects: sample.subjects,
      number: await reader.sizeFor(observed, atMost, sample),
      alternatives: await reader.alternatives(observed, sample),
    };
  }

  it.each(Object.entries(kinds))(
    'for a %s refuses at most the share asked for, and one less refuses more',
    async (_name, sized) => {
      await fc.assert(
        fc.asyncProperty(
          traffic,
          fc.integer({ min: 1, max: 8 }),
          fc.constantFrom(0, 0.02, 0.1, 0.25),
          async (calls, size, atMost) => {
            const { subjects, number, alternatives } = await suggest(sized(size), calls, atMost);
            const shareAt = (enforced: number) => {
              const asked = decide(sized(enforced), calls);
              const refused = asked.filter(({ decision }) => !decision.allowed);
              return new Set(refused.map(({ subject }) => subject)).size / subjects;
            };
            expect(subjects).toBe(new Set(calls.map(({ subject }) => subject)).size);
            expect(shareAt(number as number)).toBeLessThanOrEqual(atMost);
            expect(shareAt((number as number) - 1)).toBeGreaterThan(atMost);
            expect(alternatives.at(-1)?.share_of_subjects).toBe(0);
            for (const { number: other, share_of_subjects: share } of alternatives) {
              expect(shareAt(other)).toBe(share);
            }
            for (const one of alternatives.filter(({ number: other }) => other > 1)) {
              expect(shareAt(one.number - 1)).toBeGreaterThan(one.share_of_subjects);
            }
          },
        ),
        { numRuns: 6 },
      );
    },
  );
});
