// What a Redis Cluster does between a check's two commands, and when one of them fails.

import { describe, expect, it } from 'vitest';
import type { BoundLimit, Decided, Question } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { view } from '../../limiter/src/core/view.ts';
import { Coalescer, type RedisClient } from '../../limiter/src/engines/redis/index.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { openClusterStore, type ClusterStore } from '../support/store.ts';

const tenant = { id: 'a-tenant' };
const other = { id: 'another' };
const day = { algorithm: 'fixed_window', window: '365 days' } as const;
const own = bound(limitOf({ ...day, name: 'own', limit: 1 }));

function globalOf(input: LimitInput): BoundLimit {
  return bound(limitOf({ ...input, per: ['global'] }), 1, []);
}

/** Lets a test step in before the n-th command of each kind. */
function openWith(before: (script: string, at: number) => Promise<void> | void): ClusterStore {
  const wrap = (client: RedisClient): RedisClient => {
    const seen = new Map<string, number>();
    const noted = async (script = '') => {
      const at = (seen.get(script) ?? 0) + 1;
      seen.set(script, at);
      await before(script, at);
    };
    return {
      cluster: client.cluster ?? false,
      evalsha: async (sha, keys, args, name) => {
        await noted(name);
        return client.evalsha(sha, keys, args, name);
      },
      eval: (source, keys, args, name) => client.eval(source, keys, args, name),
    };
  };
  return openClusterStore({ wrap });
}

async function ask(
  { engine }: ClusterStore,
  limits: readonly BoundLimit[],
  more: Partial<Question> = {},
  who = tenant,
): Promise<Decided> {
  const result = await engine.decide({ tenant: who, questions: [question(limits, more)] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (answer?.kind !== 'decided') throw new Error(`not decided: ${result.kind}`);
  return answer;
}

async function usedOf({ engine }: ClusterStore, limit: BoundLimit): Promise<number> {
  const { nowUs, readings } = await engine.inspect(tenant, [limit]);
  const [reading] = readings;
  if (!reading) throw new Error('not read');
  return view(limit, reading, nowUs).used;
}

const lost = () => {
  throw new Error('Connection is closed.');
};

describe('a command that fails', () => {
  const limit = globalOf({ ...day, name: 'everyone', limit: 10 });

  it('with the global limits leaves the tenant’s alone', async () => {
    const store = openWith((script, at) => (script === 'decide' && at === 1 ? lost() : undefined));
    await expect(ask(store, [limit, own])).rejects.toMatchObject({ name: 'StoreFailure' });
    expect(await usedOf(store, own)).toBe(0);
    store.close();
  });

  it('with the tenant’s limits leaves the global ones charged', async () => {
    const store = openWith((script, at) => (script === 'decide' && at === 2 ? lost() : undefined));
    await expect(ask(store, [limit, own])).rejects.toMatchObject({ name: 'StoreFailure' });
    expect(await usedOf(store, limit)).toBe(1);
    expect(await usedOf(store, own)).toBe(0);
    store.close();
  });

  it('when giving back changes no answer: less is let in than could be', async () => {
    const store = openWith((script) => (script === 'conclude' ? lost() : undefined));
    expect((await ask(store, [limit, own])).allowed).toBe(true);
    const refused = await ask(store, [limit, own]);
    expect(refused).toMatchObject({ allowed: false });
    expect(refused.readings.map(({ verdict }) => verdict)).toEqual(['ok', 'exceeded']);
    expect(await usedOf(store, limit)).toBe(2);
    store.close();
  });
});

describe('what comes between taking and giving back', () => {
  /** Another tenant is let in just before what the first one took is given back. */
  async function interrupted(limit: BoundLimit, cost: number): Promise<ClusterStore> {
    let armed = false;
    const store = openWith(async (script) => {
      if (script !== 'conclude' || !armed) return;
      armed = false;
      expect((await ask(store, [{ ...limit, cost }], {}, other)).allowed).toBe(true);
    });
    await ask(store, [limit, own]);
    armed = true;
    expect((await ask(store, [limit, own])).allowed).toBe(false);
    return store;
  }

  it.each<LimitInput>([
    { ...day, name: 'window', limit: 10 },
    { ...day, name: 'first', limit: 10, align: 'first_request' },
    { algorithm: 'sliding_window_log', name: 'log', limit: 10, window: '1 h' },
    { algorithm: 'sliding_window_counter', name: 'counter', limit: 10, window: '365 days' },
    { algorithm: 'quota', name: 'quota', limit: 10, period: 'year' },
    {
      algorithm: 'token_bucket',
      name: 'bucket',
      capacity: 10,
      refill: { tokens: 1, every: '1 h' },
    },
  ])('stays as it is: $algorithm ($name)', async (input) => {
    const limit = globalOf(input);
    const store = await interrupted(limit, 3);
    expect(await usedOf(store, limit)).toBe(4);
    expect((await ask(store, [{ ...limit, cost: 6 }], {}, other)).allowed).toBe(true);
    expect((await ask(store, [limit], {}, other)).allowed).toBe(false);
    store.close();
  });

  it('stays in a log of thousands, which loses no other entry', async () => {
    const limit = globalOf({
      algorithm: 'sliding_window_log',
      name: 'long',
      limit: 2000,
      window: '1 h',
    });
    const store = openClusterStore();
    const more = globalOf({ ...day, name: 'other', limit: 1 });
    for (let call = 0; call < 600; call += 1) await ask(store, [limit]);
    const full = await ask(store, [own, more]);
    expect(full.allowed).toBe(true);
    const before = await store.engine.inspect(tenant, [{ ...limit, cost: 1401 }]);
    for (let call = 0; call < 20; call += 1) {
      expect((await ask(store, [limit, own])).allowed).toBe(false);
    }
    expect(await usedOf(store, limit)).toBe(600);
    // Room for more comes with the oldest entry, as before.
    const after = await store.engine.inspect(tenant, [{ ...limit, cost: 1401 }]);
    expect(fitsAtOf(after.readings[0]?.state)).toBe(fitsAtOf(before.readings[0]?.state));
    store.close();
  });

  it('may be a reset, after which nothing is left to give back', async () => {
    const limit = globalOf({
      algorithm: 'sliding_window_log',
      name: 'gone',
      limit: 5,
      window: '1 h',
    });
    let armed = false;
    const store = openWith(async (script) => {
      if (script === 'conclude' && armed) await store.engine.reset(tenant, [limit]);
    });
    await ask(store, [limit, own]);
    armed = true;
    expect((await ask(store, [limit, own])).allowed).toBe(false);
    expect(await usedOf(store, limit)).toBe(0);
    store.close();
  });
});

function fitsAtOf(state: unknown): unknown {
  return (state as { fitsAtUs?: number } | undefined)?.fitsAtUs;
}

it('calls of one turn that travel together are granted exactly what there is', async () => {
  const limit = globalOf({ ...day, name: 'together', limit: 50 });
  const store = openClusterStore();
  const decider = new Coalescer(store.engine);
  const results = await Promise.all(
    Array.from({ length: 80 }, () => decider.decide({ tenant, questions: [question([limit])] })),
  );
  const allowed = results.filter(
    (result) =>
      result.kind === 'answered' &&
      result.answers.every((answer) => answer.kind === 'decided' && answer.allowed),
  );
  expect(allowed).toHaveLength(50);
  expect(await usedOf(store, limit)).toBe(50);
  store.close();
});

it('a bucket that many are refused by their tenants never holds more than its capacity', async () => {
  const limit = globalOf({
    algorithm: 'token_bucket',
    name: 'b',
    capacity: 50,
    refillPerSecond: 40,
  });
  const store = openClusterStore();
  await ask(store, [own]);
  const startedMs = performance.now();
  let [refused, admitted, firstUs, lastUs] = [0, 0, 0, 0];
  const flood = async () => {
    while (performance.now() - startedMs < 1500) {
      if (!(await ask(store, [limit, own])).allowed) refused += 1;
    }
  };
  const takeAll = async () => {
    while (performance.now() - startedMs < 1500) {
      const { allowed, nowUs } = await ask(store, [limit], {}, other);
      firstUs ||= nowUs;
      lastUs = nowUs;
      if (allowed) admitted += 1;
    }
  };
  await Promise.all([flood(), flood(), flood(), takeAll()]);
  expect(refused).toBeGreaterThan(50);
  expect(admitted).toBeLessThanOrEqual(50 + Math.ceil(((lastUs - firstUs) / 1e6) * 40) + 1);
  store.close();
});
