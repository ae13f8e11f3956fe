// Calls of many tenants that ask one thing of one limit go a short way through the script
// (brief.lua). It answers and leaves behind what the long one does.

import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { DecideCall, DecideResult, Question } from '../../limiter/src/core/engine.ts';
import type { StoreFailure } from '../../limiter/src/core/errors.ts';
import type { Limit } from '../../limiter/src/core/limit.ts';
import {
  fromIoredis,
  RedisEngine,
  type RedisEngineOptions,
} from '../../limiter/src/engines/redis/index.ts';
import { Keys } from '../../limiter/src/engines/redis/keys.ts';
import type { LuaSource } from '../../limiter/src/engines/redis/script.ts';
import { openScripts } from '../../limiter/src/engines/redis/scripts.ts';
import { openRedis } from '../servers/connect.ts';
import { FakeClock, luaWithFakeClock, tellingTime } from '../support/fake-clock.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { dumpOf, keysOf, openStore } from '../support/store.ts';

const whole = limitOf({ algorithm: 'token_bucket', name: 'b', capacity: 3, refillPerSecond: 1 });
const thirds = limitOf({ algorithm: 'token_bucket', name: 'b', capacity: 3, refillPerSecond: 3 });
const window = limitOf({ algorithm: 'fixed_window', name: 'w', limit: 3, window: '1 h' });
const counter = limitOf({
  algorithm: 'sliding_window_counter',
  name: 'c',
  limit: 3,
  window: '1 h',
});
const quota = limitOf({ algorithm: 'quota', name: 'q', limit: 3, period: 'day' });
const shadow = limitOf({
  algorithm: 'token_bucket',
  name: 's',
  capacity: 1,
  refillPerSecond: 0.001,
  mode: 'warn',
});
const log = limitOf({ algorithm: 'sliding_window_log', name: 'l', limit: 3, window: '1 h' });
const slots = limitOf({
  algorithm: 'concurrency',
  name: 'k',
  maxConcurrent: 3,
  staleAfter: '1 h',
});
const everyone = limitOf({
  algorithm: 'fixed_window',
  name: 'g',
  limit: 4,
  window: '365 days',
  per: ['global'],
});

const lone = [whole, thirds, window, counter, quota, shadow];
const label = 'GET:/a plan';

type Asking = {
  readonly limits?: readonly Limit[];
  readonly cost?: number;
  readonly label?: string | null;
  readonly subject?: string;
  readonly epoch?: number | null;
  readonly confirmed?: boolean;
  readonly validUntilUs?: number;
  readonly more?: Partial<Question>;
};

const ask = (id: string, asking: Asking = {}): DecideCall => {
  const { limits = [whole], cost = 1, subject = 'a', epoch = 1, confirmed = true } = asking;
  const bounds = limits.map((limit) => bound(limit, cost, limit.global ? [] : [subject]));
  const ledger = asking.label === null ? {} : { ledgerLabel: asking.label ?? label };
  const { validUntilUs } = asking;
  return {
    tenant: { id },
    questions: [question(bounds, { ...ledger, ...asking.more })],
    ...(epoch !== null && {
      snapshot: {
        epoch: { tenant: epoch, shared: 1 },
        confirmed,
        ...(validUntilUs !== undefined && { validUntilUs }),
      },
    }),
  };
};

type Told = DecideResult | StoreFailure;

const company = async (engine: RedisEngine, calls: readonly DecideCall[]): Promise<Told[]> => {
  const results: Told[] = [];
  await engine.decideAll?.(calls, (at, result) => {
    results[at] = result;
  });
  return results;
};

const oneByOne = async (engine: RedisEngine, calls: readonly DecideCall[]): Promise<Told[]> => {
  const results: Told[] = [];
  for (const call of calls) {
    results.push(await engine.decide(call).catch((error: StoreFailure) => error));
  }
  return results;
};

/** In a word. */
const word = (told: Told | undefined): string => {
  if (!told) return 'nothing';
  if (told instanceof Error) return told.reason;
  if (told.kind !== 'answered') return told.kind;
  const [answer] = told.answers;
  if (answer?.kind !== 'decided') return 'other';
  return answer.allowed ? 'allowed' : 'refused';
};

const opened: { disconnect(): void }[] = [];
afterAll(() => opened.forEach((redis) => redis.disconnect()));

const usual = openScripts(luaWithFakeClock);

/** On a clock of its own, with keys of its own. */
function open(options: Omit<RedisEngineOptions, 'prefix'> = {}) {
  const clock = new FakeClock();
  const redis = openRedis(inject('redisUrl'));
  opened.push(redis);
  const prefix = `test-${randomUUID()}`;
  const engine = new RedisEngine(tellingTime(fromIoredis(redis), clock), {
    scripts: usual,
    clock: clock.read,
    ...options,
    prefix,
  });
  const keys = new Keys({ prefix, secret: '' });
  const keyOf = (id: string, suffix: string) => keys.tenant({ id }) + suffix;
  const counterOf = (id: string, limit: Limit) =>
    keys.counterOf(keys.tenant({ id }), bound(limit, 1, ['a']));
  /** All that is kept, without what tells two engines apart. */
  const kept = async () => {
    const dump = await dumpOf(redis, prefix);
    return Object.fromEntries([...dump].map(([key, value]) => [key.slice(prefix.length), value]));
  };
  return { engine, clock, redis, prefix, keyOf, counterOf, kept };
}

type Opened = ReturnType<typeof open>;

/** What each way answers and leaves behind, after the same has been done to both. */
async function bothWays(
  calls: readonly DecideCall[],
  prepare: (place: Opened) => Promise<unknown> = async () => null,
  options: Parameters<typeof open>[0] = {},
): Promise<string[]> {
  // A script that Redis does not know yet is sent once more, after others of its turn.
  await company(open(options).engine, calls);
  const places = [open(options), open(options)] as const;
  for (const place of places) await prepare(place);
  const [together, alone] = places;
  const inCompany = await company(together.engine, calls);
  const expected = await oneByOne(alone.engine, calls);
  const said = (results: readonly Told[]) =>
    results.map((told) => (told instanceof Error ? told.reason : JSON.parse(JSON.stringify(told))));
  expect(said(inCompany)).toEqual(said(expected));
  expect(await together.kept()).toEqual(await alone.kept());
  return inCompany.map(word);
}

describe('the short way', () => {
  const withoutLong: LuaSource = (name) =>
    name === 'decide' ? "error('the long way')" : luaWithFakeClock(name);

  it.each(lone)('is gone by $name, asked by many', async (limit) => {
    const { engine } = open({ scripts: openScripts(withoutLong) });
    const sayings = [{}, { label: null }, { epoch: null }, { label: null, epoch: null }];
    for (const [at, saying] of sayings.entries()) {
      const asking = { ...saying, limits: [limit], subject: `s${at}` };
      const calls = ['a', 'b', 'c'].map((id) => ask(id, asking));
      expect((await company(engine, calls)).map(word)).toEqual(['allowed', 'allowed', 'allowed']);
    }
  });

  it.each([
    ['a peek', { cost: 0 }],
    ['a peek at a cost', { more: { peek: true } }],
    ['what costs nothing', { cost: 0, more: { peek: false } }],
    ['a cost beyond the limit', { cost: 4 }],
    ['several limits', { limits: [whole, window] }],
    ['a log', { limits: [log] }],
    ['slots', { limits: [slots] }],
  ])('is not gone by %s', async (_, asking) => {
    const { engine } = open({ scripts: openScripts(withoutLong) });
    const calls = ['a', 'b', 'c'].map((id) => ask(id, asking));
    expect((await company(engine, calls)).map(word)).toEqual(['err', 'err', 'err']);
  });
});

const twice = (call: DecideCall): DecideCall => ({
  ...call,
  questions: call.questions.flatMap((asked) => [asked, { ...asked, id: `${asked.id}+` }]),
});

describe('calls that go the short way', () => {
  const five = ['a', 'b', 'c', 'd', 'e'];

  it.each(lone)('let in and refuse side by side, $name', async (limit) => {
    const calls = five.map((id) => ask(id, { limits: [limit] }));
    const told = await bothWays(calls, async ({ engine }) => {
      for (const id of ['b', 'b', 'b', 'd', 'd', 'd', 'e']) {
        await engine.decide(ask(id, { limits: [limit] }));
      }
    });
    const full = limit.enforced ? 'refused' : 'allowed';
    expect(told).toEqual(['allowed', full, 'allowed', full, 'allowed']);
  });

  it.each(lone)('go on from where the counter was left, $name', async (limit) => {
    for (const waitUs of [0, 1, 400_000, 1_000_001, 2_500_000, 5_000_000_000, 90_000_000_000]) {
      const calls = five.map((id, at) => ask(id, { limits: [limit], cost: 1 + (at % 3) }));
      await bothWays(calls, async ({ engine, clock }) => {
        for (const id of five.slice(1)) await engine.decide(ask(id, { limits: [limit], cost: 2 }));
        clock.advanceUs(waitUs);
      });
    }
  });

  it('go on from a bucket that had fractions', async () => {
    const calls = five.map((id) => ask(id, { limits: [whole] }));
    const told = await bothWays(calls, async ({ engine, clock }) => {
      clock.advanceUs(1);
      await engine.decide(ask('b', { limits: [thirds] }));
      clock.advanceUs(500_001);
      for (const id of ['b', 'c']) await engine.decide(ask(id, { limits: [thirds], cost: 2 }));
      await engine.decide(ask('c', { limits: [thirds] }));
    });
    expect(told).toEqual(['allowed', 'refused', 'refused', 'allowed', 'allowed']);
  });

  it('are held to the epoch each by itself', async () => {
    const calls = [
      ask('known', { confirmed: false }),
      ask('stale', { confirmed: false }),
      ask('known', { confirmed: false }),
      ask('unknown', { confirmed: false }),
      ask('behind', { confirmed: false, epoch: 3 }),
      ask('behind', { confirmed: false, epoch: 2 }),
      ask('known', { confirmed: false }),
    ];
    const publish = async ({ engine }: Opened) => {
      await engine.publishEpoch({ id: 'known' }, { tenant: 1, shared: 1 });
      await engine.publishEpoch({ id: 'stale' }, { tenant: 2, shared: 1 });
      await engine.publishEpoch({ id: 'behind' }, { tenant: 2, shared: 1 });
    };
    expect(await bothWays(calls, publish)).toEqual([
      'allowed',
      'stale',
      'allowed',
      'unknown',
      'allowed',
      // What one published the next is held to.
      'stale',
      'allowed',
    ]);
    const over = ['known', 'unknown', 'known'].map((id) => ask(id, { validUntilUs: 1 }));
    expect(await bothWays(over, publish)).toEqual(['stale', 'stale', 'stale']);
  });

  it('see what those before them took of the same counter', async () => {
    const thrice = ['a', 'b', 'a', 'a', 'b', 'a', 'a'].map((id) => ask(id));
    expect(await bothWays(thrice)).toEqual([
      ...Array.from({ length: 5 }, () => 'allowed'),
      'refused',
      'refused',
    ]);
    const shared = [...five, 'f'].map((id) => ask(id, { limits: [everyone] }));
    expect(await bothWays(shared)).toEqual([
      ...Array.from({ length: 4 }, () => 'allowed'),
      'refused',
      'refused',
    ]);
  });

  it.each(['counter', 'ledger', 'epoch'] as const)(
    'fail alone where a %s is of another kind',
    async (which) => {
      for (const broken of ['a', 'c', 'e']) {
        const told = await bothWays(
          five.map((id) => ask(id)),
          async ({ engine, redis, keyOf, counterOf }) => {
            await oneByOne(
              engine,
              five.map((id) => ask(id)),
            );
            const keys = { counter: counterOf(broken, whole), ledger: 'u', epoch: 'e' };
            const key = which === 'counter' ? keys.counter : keyOf(broken, keys[which]);
            expect(await redis.del(key)).toBe(1);
            await redis.lpush(key, 'of another kind');
          },
        );
        expect(told).toEqual(five.map((id) => (id === broken ? 'wrongtype' : 'allowed')));
      }
    },
  );

  it('fail alone where a counter is unreadable', async () => {
    const told = await bothWays(
      five.map((id) => ask(id, { limits: [window] })),
      ({ redis, counterOf }) => redis.set(counterOf('c', window), 'short'),
    );
    expect(told).toEqual(['allowed', 'allowed', 'err', 'allowed', 'allowed']);
  });

  it('make no more counters than the tenant may', async () => {
    const narrow = { allowances: { countersPerHour: 1, recordsPerHour: 1 } };
    const calls = five.map((id) => ask(id, { limits: [window], subject: 'second' }));
    const { engine } = open(narrow);
    await engine.decide(ask('c', { limits: [window], subject: 'first' }));
    const results = await company(engine, calls);
    expect(results.map(word)).toEqual(five.map(() => 'allowed'));
    const degraded = results.map((told) =>
      'answers' in told && 'degraded' in (told.answers[0] ?? {}) ? told.answers[0] : null,
    );
    expect(degraded).toMatchObject(
      five.map((id) => ({ degraded: id === 'c' ? 'overflow' : null })),
    );
    await bothWays(
      calls,
      ({ engine: prepared }) => prepared.decide(ask('c', { limits: [window], subject: 'first' })),
      narrow,
    );
    // Nobody counts them.
    await bothWays(calls, undefined, { allowances: null });
  });

  it('go the long way one by one where something is held', async () => {
    const reserve = { ttlMs: 60_000, onExpiry: 'refund' } as const;
    const held = ask('c', { limits: [window], cost: 2, more: { reserve } });
    const told = await bothWays(
      [...five, 'c', ...five].map((id) => ask(id, { limits: [window] })),
      ({ engine }) => engine.decide(held),
    );
    expect(told.map((said, at) => (said === 'allowed' ? '' : at)).join('')).toBe('58');
  });

  it.each([window, counter, quota])('leave a window its end, $name', async (limit) => {
    const { engine, redis, counterOf } = open();
    const calls = five.map((id) => ask(id, { limits: [limit] }));
    await company(engine, calls);
    await Promise.all(five.map((id) => redis.pexpire(counterOf(id, limit), 100_000)));
    await company(engine, calls);
    for (const id of five) expect(await redis.pttl(counterOf(id, limit))).toBeLessThan(100_001);
  });

  it('are asked again where no period of a quota is the current one', async () => {
    // Whoever asks is days behind the server.
    const behind = { clock: () => new FakeClock().nowUs - 3 * 86_400_000_000 };
    const calls = five.map((id) => ask(id, { limits: [quota] }));
    const told = await bothWays(calls, undefined, behind);
    expect(told).toEqual(five.map(() => 'allowed'));
  });

  it('travel with others, whatever those ask', async () => {
    const mixed: Asking[] = [
      {},
      { label: null },
      { label: 'GET:/b plan' },
      {},
      { limits: [thirds] },
      { limits: [window, log] },
      { limits: [shadow] },
      { limits: [shadow] },
      { cost: 0 },
      { cost: 0 },
      { cost: 9 },
      { limits: [counter, whole, quota] },
      {},
      { limits: [slots], more: { id: 'a-ticket' } },
    ];
    const calls = mixed.flatMap((asking) => five.map((id) => ask(id, asking)));
    await bothWays(calls);
    await bothWays(calls.toReversed());
    await bothWays(calls.flatMap((call) => [call, twice(call), twice(call), call]));
    const without = mixed.map((asking) => ({ ...asking, epoch: null }));
    await bothWays(without.flatMap((asking) => five.map((id) => ask(id, asking))));
  });

  it('are counted by minute, outcome and label', async () => {
    const { engine, clock } = open();
    const calls = ['a', 'b', 'a'].map((id) => ask(id, { limits: [shadow] }));
    await company(engine, calls);
    clock.advanceMs(60_000);
    await company(engine, calls);
    const taken = await engine.takeLedger({ id: 'a' }, 1);
    const minute = Math.floor(clock.nowUs / 60_000_000);
    expect(taken.kind === 'taken' && taken.counts.toSorted((x, y) => x.minute - y.minute)).toEqual([
      { minute: minute - 1, outcome: 'allowed', label, count: 1 },
      { minute: minute - 1, outcome: 'warned', label, count: 1 },
      { minute, outcome: 'warned', label, count: 2 },
    ]);
  });

  it('leave no ledger without an end', async () => {
    const { engine, clock, redis, keyOf } = open();
    const days = 3 * 86_400_000;
    const asked = async () => {
      await company(
        engine,
        five.map((id) => ask(id)),
      );
      const left = await Promise.all(five.map((id) => redis.pttl(keyOf(id, 'u'))));
      return left.map((ms) => ms > days - 60_000 && ms <= days);
    };
    const all = five.map(() => true);
    expect(await asked()).toEqual(all);
    await engine.takeLedger({ id: 'c' }, 1);
    expect(await asked()).toEqual(all);
    // It moves on as long as there is something to count.
    await Promise.all(five.map((id) => redis.pexpire(keyOf(id, 'u'), 100_000)));
    clock.advanceMs(60_000);
    expect(await asked()).toEqual(all);
  });
});

it.each([...lone, everyone])('what $name keeps lasts as long as alone', async (limit) => {
  const places = [openStore(), openStore()] as const;
  const asked = (cost: number) => ['a', 'b', 'c'].map((id) => ask(id, { limits: [limit], cost }));
  const left: Map<string, number>[] = [];
  for (const [at, { engine, redis, prefix }] of places.entries()) {
    for (const cost of [1, 1]) await (at === 0 ? company : oneByOne)(engine, asked(cost));
    const keys = await keysOf(redis, prefix);
    const entries = keys.map(
      async (key) => [key.slice(prefix.length), await redis.pttl(key)] as const,
    );
    left.push(new Map(await Promise.all(entries)));
  }
  const [together, alone] = left as [Map<string, number>, Map<string, number>];
  expect([...together.keys()].toSorted()).toEqual([...alone.keys()].toSorted());
  for (const [key, ms] of together) expect(Math.abs(ms - (alone.get(key) ?? 0))).toBeLessThan(2000);
  places.forEach((place) => place.close());
});
