import * as theirs from 'rate-limiter-flexible';
import * as ours from 'sluice/compat/rate-limiter-flexible';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { holdTime } from './side-by-side.ts';

type Numbers = { points: number; duration: number; blockDuration?: number; keyPrefix?: string };
type Verbs = ours.RateLimiterLike;
type Said = Record<string, unknown> | null | boolean;

const redis = openRedis(inject('redisUrl'), { autoResendUnfulfilledCommands: false });
afterAll(() => redis.quit());

let made = 0;
const kinds = [
  {
    kind: 'memory',
    make: (numbers: Numbers) => ({
      grainMs: 1,
      theirs: new theirs.RateLimiterMemory(numbers) as Verbs,
      ours: new ours.RateLimiterMemory({ ...numbers, clock: () => Date.now() * 1000 }) as Verbs,
    }),
  },
  {
    kind: 'Redis',
    make: (numbers: Numbers) => {
      made += 1;
      const options = { keyPrefix: `rlf-${process.pid}-${made}`, storeClient: redis, ...numbers };
      return {
        grainMs: 10_000,
        theirs: new theirs.RateLimiterRedis(options) as Verbs,
        ours: new ours.RateLimiterRedis(options) as Verbs,
      };
    },
  },
];

/** What a call says and whether it was refused; times in grains, where time passes meanwhile. */
async function say(call: Promise<unknown>, grainMs: number): Promise<Said> {
  const settled = await call.then(
    (res) => ({ res, refused: false }),
    (error: unknown) => {
      if (error instanceof Error) throw error;
      return { res: error, refused: true };
    },
  );
  if (settled.res === null || typeof settled.res === 'boolean') return settled.res;
  const { msBeforeNext, isFirstInDuration, ...res } = (settled.res as ours.RateLimiterRes).toJSON();
  const { refused } = settled;
  // A refused call that blocks is the first to their memory, and not to their Redis.
  const isFirst = !refused && isFirstInDuration;
  return { ...res, isFirst, grains: Math.ceil(msBeforeNext / grainMs), refused };
}

type Step = (limiter: Verbs) => Promise<unknown>;

type Pair = { readonly theirs: Verbs; readonly ours: Verbs; readonly grainMs: number };

async function bothSay(pair: Pair, steps: readonly Step[]) {
  const said = { theirs: [] as Said[], ours: [] as Said[] };
  for (const step of steps) {
    said.theirs.push(await say(step(pair.theirs), pair.grainMs));
    said.ours.push(await say(step(pair.ours), pair.grainMs));
  }
  return said;
}

/** They must agree on every answer to these. */
const agreed: Record<string, Numbers & { readonly steps: readonly Step[] }> = {
  'consume until nothing is left': {
    points: 3,
    duration: 60,
    steps: [
      (l) => l.get('a'),
      (l) => l.consume('a'),
      (l) => l.consume('a', 2),
      (l) => l.get('a'),
      (l) => l.consume('a'),
      (l) => l.get('a'),
      (l) => l.consume(7),
    ],
  },
  'penalty and reward': {
    points: 5,
    duration: 60,
    steps: [
      (l) => l.penalty('a', 2),
      (l) => l.consume('a'),
      (l) => l.reward('a', 2),
      (l) => l.penalty('a', 6),
      (l) => l.get('a'),
    ],
  },
  delete: {
    points: 1,
    duration: 60,
    steps: [(l) => l.delete('a'), (l) => l.consume('a'), (l) => l.delete('a'), (l) => l.get('a')],
  },
  'set for a shorter while': {
    points: 5,
    duration: 60,
    steps: [
      (l) => l.consume('a'),
      (l) => set(l, 'a', 4, 20),
      (l) => l.get('a'),
      (l) => l.consume('a', 1),
    ],
  },
  'block for longer than a duration': {
    points: 5,
    duration: 10,
    steps: [(l) => l.block('a', 300), (l) => l.get('a'), (l) => l.consume('b')],
  },
  'block for a shorter while': {
    points: 5,
    duration: 100,
    steps: [(l) => l.consume('a'), (l) => l.block('a', 30), (l) => l.get('a')],
  },
  blockDuration: {
    points: 1,
    duration: 10,
    blockDuration: 300,
    steps: [
      (l) => l.consume('a'),
      (l) => l.consume('a'),
      (l) => l.get('a'),
      (l) => l.delete('a'),
      (l) => l.consume('a'),
    ],
  },
};

/** Theirs says that nothing remains, whatever was set. */
async function set(limiter: Verbs, key: string, points: number, seconds: number) {
  const res = await limiter.set(key, points, seconds);
  return { toJSON: () => ({ ...res.toJSON(), remainingPoints: 'not said' }) };
}

describe.each(kinds)('verbs of rate-limiter-flexible: $kind', ({ kind, make }) => {
  // In Redis its own clock counts.
  beforeEach(() => void (kind === 'memory' && holdTime()));
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(Object.entries(agreed))('say what the package says: %s', async (_name, about) => {
    const { steps, ...numbers } = about;
    const said = await bothSay(make(numbers), steps);
    expect(said.ours).toEqual(said.theirs);
  });

  it('who was refused is seen to be out before anything is tried, as the package shows it', async () => {
    const pair = make({ points: 3, duration: 60 });
    for (const limiter of [pair.theirs, pair.ours]) {
      for (let at = 0; at < 6; at += 1) await limiter.consume('a').catch(() => {});
      expect((await limiter.get('a'))?.consumedPoints).toBeGreaterThan(3);
    }
  });

  it('knowingly apart: a refused call leaves what is left to smaller ones', async () => {
    const pair = make({ points: 5, duration: 60 });
    const steps: Step[] = [
      (l) => l.consume('a', 4),
      (l) => l.consume('a', 3),
      (l) => l.consume('a'),
    ];
    const said = await bothSay(pair, steps);
    const refused = (from: readonly Said[]) =>
      from.map((one) => (one as { refused: boolean }).refused);
    expect(refused(said.theirs)).toEqual([false, true, true]);
    expect(refused(said.ours)).toEqual([false, true, false]);
  });

  it('knowingly apart: what is refused again and again counts as one point too many', async () => {
    const pair = make({ points: 1, duration: 60 });
    const consumed = async (limiter: Verbs) => {
      for (let at = 0; at < 5; at += 1) await limiter.consume('a').catch(() => {});
      return (await limiter.get('a'))?.consumedPoints;
    };
    expect([await consumed(pair.theirs), await consumed(pair.ours)]).toEqual([5, 2]);
  });

  it('knowingly apart: a reward never gives more than there is', async () => {
    const pair = make({ points: 2, duration: 60 });
    const left = async (limiter: Verbs) => {
      await limiter.consume('a');
      await limiter.reward('a', 5);
      return (await limiter.consume('a')).consumedPoints;
    };
    expect([await left(pair.theirs), await left(pair.ours)]).toEqual([-3, 1]);
  });
});

describe('verbs of rate-limiter-flexible: as time passes', () => {
  beforeEach(holdTime);
  afterEach(() => {
    vi.useRealTimers();
  });
  // Its memory forgets by timers of Node's, ours by the clock alone.
  const clock = () => Date.now() * 1000;

  it('a block of any length ends on time, and what was used before is forgotten', async () => {
    for (const seconds of [5, 10, 300]) {
      const limiter = new ours.RateLimiterMemory({ points: 2, duration: 10, clock });
      await limiter.consume('a', 2);
      await limiter.block('a', seconds);
      vi.advanceTimersByTime(seconds * 1000 - 1);
      await expect(limiter.consume('a')).rejects.toMatchObject({ msBeforeNext: 1 });
      vi.advanceTimersByTime(1);
      expect(await limiter.consume('a', 2)).toMatchObject({ isFirstInDuration: true });
    }
  });

  it('knowingly apart: a block shorter than its window is no fresh start', async () => {
    const limiter = new ours.RateLimiterMemory({
      points: 1,
      duration: 60,
      blockDuration: 10,
      clock,
    });
    await limiter.consume('a');
    await expect(limiter.consume('a')).rejects.toMatchObject({ msBeforeNext: 60_000 });
    vi.advanceTimersByTime(11_000);
    await expect(limiter.consume('a')).rejects.toMatchObject({ msBeforeNext: 49_000 });
    vi.advanceTimersByTime(49_000);
    expect(await limiter.consume('a')).toMatchObject({ isFirstInDuration: true });
  });

  it('what is set ends on time', async () => {
    const limiter = new ours.RateLimiterMemory({ points: 2, duration: 10, clock });
    await limiter.set('a', 2, 4);
    vi.advanceTimersByTime(3999);
    await expect(limiter.consume('a')).rejects.toMatchObject({ msBeforeNext: 1 });
    vi.advanceTimersByTime(1);
    expect(await limiter.get('a')).toBeNull();
  });
});

describe('RateLimiterUnion', () => {
  const unionOf = (of: typeof ours | typeof theirs, on: 'memory' | 'redis') => {
    const options = (name: string, points: number) => ({
      keyPrefix: `${name}-${process.pid}-${(made += 1)}`,
      points,
      duration: 60,
      ...(on === 'redis' && { storeClient: redis }),
    });
    const Made = (
      on === 'redis' ? of.RateLimiterRedis : of.RateLimiterMemory
    ) as typeof ours.RateLimiterRedis;
    const all = [
      new Made(options('few', 1) as never),
      new Made(options('many', 9) as never),
    ] as const;
    const Union = of.RateLimiterUnion as unknown as typeof ours.RateLimiterUnion;
    return { union: new Union(...all), few: all[0], many: all[1] };
  };

  it.each(['memory', 'redis'] as const)(
    'is one atomic check on %s: all are charged or none is',
    async (on) => {
      const used: unknown[] = [];
      for (const of of [theirs, ours]) {
        const { union, few, many } = unionOf(of, on);
        const first = await union.consume('a');
        expect(Object.keys(first)).toEqual([few.keyPrefix, many.keyPrefix]);
        expect(first[many.keyPrefix]).toMatchObject({ remainingPoints: 8, consumedPoints: 1 });
        const refused = await union.consume('a').catch((error: unknown) => error);
        expect(Object.keys(refused as object)).toEqual([few.keyPrefix]);
        used.push((await many.get('a'))?.consumedPoints);
      }
      expect(used).toEqual([2, 1]);
    },
  );
});

describe('insuranceLimiter', () => {
  const away = openRedis('redis://127.0.0.1:1', {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => null,
  });
  afterAll(() => away.disconnect());
  const numbers = { storeClient: away, points: 9, duration: 60 };

  it('is asked when Redis does not answer, whether it is ours or theirs', async () => {
    for (const of of [ours, theirs]) {
      const insuranceLimiter = new of.RateLimiterMemory({ points: 1, duration: 60 }) as Verbs;
      const limiter = new ours.RateLimiterRedis({ ...numbers, insuranceLimiter });
      expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 0 });
      await expect(limiter.consume('a')).rejects.toMatchObject({ remainingPoints: 0 });
      expect(await limiter.delete('a')).toBe(true);
    }
  });

  it('without one the failure is an Error, as the package has it', async () => {
    await expect(new ours.RateLimiterRedis(numbers).consume('a')).rejects.toThrow(
      'the store failed',
    );
  });
});
