import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { onEveryEngine, type Rig } from '../rig.ts';

type Bucket = Extract<LimitInput, { algorithm: 'token_bucket' }>;

const rates: [string, Bucket, [bigint, bigint]][] = [
  ['0.7 a second', { ...bucketOf(5), refillPerSecond: 0.7 }, [7n, 10_000_000n]],
  ['700,000 a second', { ...bucketOf(1_400_000), refillPerSecond: 700_000 }, [7n, 10n]],
  [
    'a third of one a second',
    { ...bucketOf(3), refill: { tokens: 1, every: '3 s' } },
    [1n, 3_000_000n],
  ],
  [
    'one in 30 days',
    { ...bucketOf(1), refill: { tokens: 1, every: '30 days' } },
    [1n, 2_592_000_000_000n],
  ],
  ['999 in 7 ms', { ...bucketOf(2000), refill: { tokens: 999, every: 7 } }, [999n, 7000n]],
];

function bucketOf(capacity: number) {
  return { algorithm: 'token_bucket', capacity } as const;
}

const yearUs = 365 * 86_400_000_000;

onEveryEngine('token bucket', (rig) => {
  it.each(rates)('%s loses nothing in a year', async (_name, input, rate) => {
    expect(await takeForAYear(rig, input, rate)).toBeGreaterThan(1n);
  });

  it('holds to capacity + rate × time when drained all year, to the token', async () => {
    const limit = limitOf({ ...bucketOf(1), refill: { tokens: 1, every: '30 days' } });
    let taken = 0;
    const endUs = rig.clock.nowUs + yearUs;
    while (rig.clock.nowUs <= endUs) {
      if ((await rig.ask(bound(limit))).allowed) taken += 1;
      rig.clock.advanceMs(86_400_000);
    }
    expect(taken).toBe(1 + Math.floor(365 / 30));
  });

  describe('numbers that change', () => {
    it('leave an empty bucket empty, whatever they change to', async () => {
      const anyBucket = fc.record({
        capacity: fc.integer({ min: 1, max: 3000 }),
        tokens: fc.constantFrom(1, 3, 700, 999_983),
        every: fc.constantFrom('1 ms', '1 s', '1 day'),
      });
      const property = fc.asyncProperty(anyBucket, anyBucket, async (before, after) => {
        const fresh = rig.elsewhere();
        const old = limitOf(changing(before));
        await fresh.ask(bound(old, old.size));
        const changed = limitOf(changing(after));
        expect((await fresh.ask(bound(changed))).allowed).toBe(false);
        expect((await fresh.look(bound(changed))).remaining).toBe(0);
      });
      await fc.assert(property, { numRuns: rig.kind === 'memory' ? 100 : 25 });
    });

    it('keep the time to full: a higher capacity is not handed out at once', async () => {
      await rig.ask(bound(limitOf({ ...bucketOf(10), refillPerSecond: 1 }), 10));
      const larger = limitOf({ ...bucketOf(1000), refillPerSecond: 1 });
      rig.clock.advanceMs(4000);
      expect((await rig.look(bound(larger))).remaining).toBe(4);
    });

    it('clamp what is in the bucket to a lower capacity', async () => {
      await rig.ask(bound(limitOf({ ...bucketOf(10), refillPerSecond: 1 }), 1));
      const smaller = limitOf({ ...bucketOf(3), refillPerSecond: 1 });
      expect(await rig.look(bound(smaller))).toMatchObject({ used: 0, remaining: 3 });
      expect((await rig.ask(bound(smaller, 3))).allowed).toBe(true);
      expect((await rig.ask(bound(smaller))).allowed).toBe(false);
    });

    it('refill at the new rate from then on', async () => {
      await rig.ask(bound(limitOf({ ...bucketOf(10), refillPerSecond: 1 }), 10));
      const faster = limitOf({ ...bucketOf(10), refillPerSecond: 2.5 });
      rig.clock.advanceMs(2000);
      expect((await rig.look(bound(faster))).remaining).toBe(5);
    });
  });

  it('never admits more than capacity + rate × time in any interval', async () => {
    await expectEnvelope(rig, { capacity: 7, ratePerSecond: 3 });
  });
});

/** Beside exact arithmetic; returns how much was taken. */
async function takeForAYear(rig: Rig, input: Bucket, [tokens, perUs]: [bigint, bigint]) {
  const limit = limitOf(input);
  // In units of 1/perUs tokens, so that nothing is ever rounded.
  const full = BigInt(limit.size) * perUs;
  const endUs = rig.clock.nowUs + yearUs;
  let level = full;
  let taken = 0n;
  for (let at = 0; rig.clock.nowUs < endUs; at += 1) {
    const whole = level / perUs;
    expect(BigInt((await rig.look(bound(limit))).remaining)).toBe(whole);
    const cost = at % 3 === 0 ? whole : (whole + 1n) / 2n;
    expect((await rig.ask(bound(limit, Number(cost)))).allowed).toBe(true);
    level -= cost * perUs;
    taken += cost;
    // Of a full bucket one more is impossible, of any other too much.
    expect((await rig.ask(bound(limit, Number(level / perUs) + 1))).allowed).toBe(false);
    const waitUs = waits[at % waits.length] ?? 1;
    rig.clock.advanceUs(waitUs);
    level = min(full, level + BigInt(waitUs) * tokens);
  }
  return taken;
}

const waits = [1, 3, 999_999, 1_000_001, 3_600_000_007, 86_400_000_000, 5_000_000_000_003];

function changing({
  capacity,
  tokens,
  every,
}: {
  capacity: number;
  tokens: number;
  every: string;
}) {
  return { ...bucketOf(capacity), refill: { tokens, every } } as Bucket;
}

async function expectEnvelope(
  rig: Rig,
  { capacity, ratePerSecond }: { capacity: number; ratePerSecond: number },
): Promise<void> {
  const limit = limitOf({ ...bucketOf(capacity), refillPerSecond: ratePerSecond });
  const taken: { atUs: number; cost: number }[] = [];
  for (let step = 0; step < 120; step += 1) {
    const cost = 1 + (step % 4);
    const atUs = rig.clock.nowUs;
    if ((await rig.ask(bound(limit, cost))).allowed) taken.push({ atUs, cost });
    rig.clock.advanceMs([0, 333, 1, 1000, 50][step % 5] ?? 0);
  }
  for (const [from, first] of taken.entries()) {
    let sum = 0;
    for (const { atUs, cost } of taken.slice(from)) {
      sum += cost;
      const refilled = ((atUs - first.atUs) * ratePerSecond) / 1e6;
      expect(sum).toBeLessThanOrEqual(capacity + refilled);
    }
  }
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
