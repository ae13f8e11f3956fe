// Calls of several tenants in one turn are one command, and nobody can tell.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { DecideCall, DecideResult, Engine } from '../../limiter/src/core/engine.ts';
import type { StoreFailure } from '../../limiter/src/core/errors.ts';
import type { RedisClient } from '../../limiter/src/engines/redis/client.ts';
import { Coalescer } from '../../limiter/src/engines/redis/coalesce.ts';
import { openEngine } from '../support/engines.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { keysOf, openClusterStore, openStore, type Store } from '../support/store.ts';

const window = limitOf({ algorithm: 'fixed_window', name: 'w', limit: 3, window: '365 days' });
const strict = limitOf({
  algorithm: 'fixed_window',
  name: 's',
  limit: 3,
  window: '365 days',
  blockFor: '1 h',
});
const bucket = limitOf({
  algorithm: 'token_bucket',
  name: 'b',
  capacity: 3,
  refillPerSecond: 0.001,
});
const everyone = limitOf({
  algorithm: 'fixed_window',
  name: 'g',
  limit: 20,
  window: '365 days',
  per: ['global'],
});

const ask = (id: string, limit = window): DecideCall => ({
  tenant: { id },
  questions: [question([bound(limit)])],
});
const some = (count: number) => Array.from({ length: count }, () => randomUUID());
const together = (engine: Engine, calls: readonly DecideCall[]) => {
  const decider = new Coalescer(engine);
  return Promise.all(calls.map((call) => decider.decide(call)));
};
const eachTogether = (engine: Engine, calls: readonly DecideCall[]) => {
  const decider = new Coalescer(engine);
  return Promise.allSettled(calls.map((call) => decider.decide(call)));
};
/** In this order, whoever else is in between. */
const inOrder = async (engine: Engine, calls: readonly DecideCall[]) => {
  const results: (DecideResult | StoreFailure)[] = [];
  await engine.decideAll?.(calls, (at, result) => {
    results[at] = result;
  });
  return results;
};
const allowedIn = (result: DecideResult) =>
  result.kind === 'answered'
    ? result.answers.map((answer) => 'allowed' in answer && answer.allowed)
    : result.kind;

/** Without what is computed when it is looked at. */
const said = (results: readonly unknown[]): unknown => JSON.parse(JSON.stringify(results));

/** The keys of each command that was sent. */
function counting(): {
  commands: (readonly string[])[];
  wrap: (client: RedisClient) => RedisClient;
} {
  const commands: (readonly string[])[] = [];
  return {
    commands,
    wrap: (client) => ({
      ...client,
      evalsha: (sha, keys, ...more) => {
        commands.push(keys);
        return client.evalsha(sha, keys, ...more);
      },
    }),
  };
}

describe('calls of several tenants in one turn', () => {
  const { commands, wrap } = counting();
  const stores: (Store | ReturnType<typeof openClusterStore>)[] = [];
  const opened = <T extends (typeof stores)[number]>(store: T): T => {
    stores.push(store);
    return store;
  };
  const { engine, redis, prefix } = opened(openStore({ wrap }));
  afterAll(() => stores.forEach((store) => store.close()));

  const sent = async (calls: readonly DecideCall[], by: Engine = engine) => {
    // What is asked for the first time is sent once more, as text.
    await together(by, calls);
    commands.length = 0;
    const results = await together(by, calls);
    return { results, count: commands.length };
  };

  it('are one command, in which each is decided by itself', async () => {
    const tenants = some(8);
    expect((await sent(tenants.map((id) => ask(id)))).count).toBe(1);
    const [full = ''] = tenants;
    await engine.decide(ask(full));
    const results = await together(
      engine,
      tenants.map((id) => ask(id)),
    );
    expect(results.map(allowedIn)).toEqual(tenants.map((id) => [id !== full]));
  });

  it('are bounded: nobody waits longer behind many tenants than behind one', async () => {
    expect((await sent(some(40).map((id) => ask(id)))).count).toBe(3);
    const large = Array.from({ length: 10 }, () => question([bound(window)]));
    const calls = some(3).map((id) => ({ tenant: { id }, questions: large }));
    expect((await sent(calls)).count).toBe(3);
  });

  it('see what those before them did to a limit that all share', async () => {
    const { engine: alone } = opened(openStore());
    const results = await together(
      alone,
      some(40).map((id) => ask(id, everyone)),
    );
    expect(results.filter((result) => allowedIn(result)[0] === true)).toHaveLength(20);
  });

  it('travel with those alone that ask for the same kinds of things', async () => {
    const [a = '', b = '', c = '', d = ''] = some(4);
    const calls = [ask(a), ask(b), ask(c, strict), ask(d, strict)];
    // Penalties are kept in mind from question to question: such calls go alone.
    expect((await sent(calls)).count).toBe(3);
    const [e = '', f = ''] = some(2);
    expect((await sent([ask(e), ask(f, bucket)])).count).toBe(1);
  });

  it('go alone on a cluster', async () => {
    const counted = counting();
    const { engine: onCluster } = opened(openClusterStore({ wrap: counted.wrap }));
    const results = await together(
      onCluster,
      some(6).map((id) => ask(id)),
    );
    expect(results.map(allowedIn)).toEqual(Array.from({ length: 6 }, () => [true]));
    for (const keys of counted.commands) {
      expect(new Set(keys.map((key) => /\{.*\}/.exec(key)?.[0])).size).toBe(1);
    }
  });

  it('fail for that one alone that fails', async () => {
    const tenants = some(5);
    const before = new Set(await keysOf(redis, prefix));
    await engine.decide(ask(tenants[2] ?? ''));
    const [counter = ''] = (await keysOf(redis, prefix))
      .filter((key) => !before.has(key))
      .toSorted((x, y) => y.length - x.length);
    await redis.del(counter);
    await redis.lpush(counter, 'not a counter');
    const outcomes = await eachTogether(
      engine,
      tenants.map((id) => ask(id)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      tenants.map((_, at) => (at === 2 ? 'rejected' : 'fulfilled')),
    );
    const failed = outcomes[2] as PromiseRejectedResult;
    expect(failed.reason).toMatchObject({ name: 'StoreFailure', reason: 'wrongtype' });
    expect(String(failed.reason)).not.toContain(counter);
  });

  it('fail alone though they fail late, wherever they stand', async () => {
    for (const broken of [0, 1, 2]) {
      const tenants = some(3);
      const calls = tenants.map((id) => ({
        tenant: { id },
        questions: [question([bound(window), bound(bucket)], { ledgerLabel: '* w' })],
      }));
      const before = new Set(await keysOf(redis, prefix));
      await engine.decide(calls[broken] as DecideCall);
      const [ledger = ''] = (await keysOf(redis, prefix)).filter(
        (key) => !before.has(key) && key.endsWith(':u'),
      );
      // What is counted is written last, when the rest of the answer is known already.
      await redis.set(ledger, 'not a ledger');
      const outcomes = await eachTogether(engine, calls);
      expect(outcomes.map(({ status }) => status)).toEqual(
        tenants.map((_, at) => (at === broken ? 'rejected' : 'fulfilled')),
      );
    }
  });

  it('are told at once, though one of them needs another round', async () => {
    const { engine: narrow } = opened(
      openStore({ allowances: { countersPerHour: 1, recordsPerHour: 1 } }),
    );
    const [full = '', other = ''] = some(2);
    const asks = (id: string, subject: string): DecideCall => ({
      tenant: { id },
      questions: [question([bound(window, 1, [subject])])],
    });
    await narrow.decide(asks(full, 'first'));
    const told: number[] = [];
    const results = new Map<number, DecideResult | StoreFailure>();
    await narrow.decideAll?.([asks(full, 'second'), asks(other, 'first')], (at, result) => {
      told.push(at);
      results.set(at, result);
    });
    expect(told).toEqual([1, 0]);
    expect(results.get(0)).toMatchObject({ answers: [{ allowed: true, degraded: 'overflow' }] });
    expect(results.get(1)).toMatchObject({ answers: [{ allowed: true, degraded: null }] });
  });

  it('all fail where the reply is not what was asked for', async () => {
    const broken = (client: RedisClient): RedisClient => ({
      ...client,
      evalsha: async () => [[1, 2, 3]],
    });
    const { engine: lied } = opened(openStore({ wrap: broken }));
    const outcomes = await eachTogether(
      lied,
      some(3).map((id) => ask(id)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('go alone for good behind an address that has several servers', async () => {
    let refused = 0;
    const sharded = (client: RedisClient): RedisClient => ({
      ...client,
      evalsha: async (sha, keys, ...more) => {
        if (new Set(keys.map((key) => /\{.*\}/.exec(key)?.[0])).size > 1) {
          refused += 1;
          throw new Error("CROSSSLOT Keys in request don't hash to the same slot");
        }
        return client.evalsha(sha, keys, ...more);
      },
    });
    const { engine: behind } = opened(openStore({ wrap: sharded }));
    for (let round = 0; round < 3; round += 1) {
      const results = await together(
        behind,
        some(6).map((id) => ask(id)),
      );
      expect(results.map(allowedIn)).toEqual(Array.from({ length: 6 }, () => [true]));
    }
    expect(refused).toBe(1);
  });
});

describe('calls in company', () => {
  const algorithms = [
    limitOf({ algorithm: 'token_bucket', name: 'b', capacity: 5, refillPerSecond: 0.7 }),
    limitOf({ algorithm: 'fixed_window', name: 'w', limit: 4, window: '1 min' }),
    limitOf({ algorithm: 'sliding_window_counter', name: 'c', limit: 4, window: '1 min' }),
    limitOf({ algorithm: 'sliding_window_log', name: 'l', limit: 4, window: '1 min' }),
    limitOf({ algorithm: 'quota', name: 'q', limit: 6, period: 'hour' }),
    limitOf({ algorithm: 'fixed_window', name: 'x', limit: 2, window: '1 min', mode: 'warn' }),
    limitOf({ algorithm: 'concurrency', name: 'k', maxConcurrent: 3, staleAfter: '20 s' }),
    everyone,
    limitOf({ algorithm: 'token_bucket', name: 'n', capacity: 5, refillPerSecond: 0.1 }),
  ];
  const tenantsMax = 6;
  const limits = fc.nat(algorithms.length - 1);
  const asked = {
    limits: fc.uniqueArray(limits, { minLength: 1, maxLength: 3 }),
    cost: fc.integer({ min: 0, max: 7 }),
    subject: fc.nat(2),
    label: fc.option(fc.constantFrom('GET:/a w', 'GET:/b w')),
  };
  const several = fc.array(fc.record(asked), { minLength: 1, maxLength: 3 });
  // One thing of one limit, as nearly everybody asks, has a way of its own: see brief-calls.test.ts.
  const brief = { ...asked, limits: fc.tuple(limits), cost: fc.integer({ min: 1, max: 4 }) };
  const questions = fc.oneof(several, fc.tuple(fc.record(brief)));
  const epoch = fc.record({
    tenant: fc.nat(3),
    confirmed: fc.boolean(),
    isOver: fc.integer({ min: 0, max: 9 }).map((at) => at === 0),
  });
  const turns = fc.array(
    fc.record({
      waitUs: fc.nat(30_000_000),
      // Tenants on one plan ask alike: what they share is shared then.
      plans: fc.tuple(questions, questions),
      calls: fc.array(
        fc.record({ tenant: fc.nat(tenantsMax - 1), epoch: fc.option(epoch), plan: fc.nat(1) }),
        { minLength: 1, maxLength: 8 },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  );

  type Turns = typeof turns extends fc.Arbitrary<infer T> ? T : never;

  /** What all are told, and what is counted of them: asked one after another, or all of a turn at once. */
  async function told(schedule: Turns, how: 'alone' | 'in company'): Promise<unknown> {
    const { engine, clock, close } = await openEngine('redis');
    const results: (DecideResult | StoreFailure)[] = [];
    try {
      for (const { waitUs, plans, calls } of schedule) {
        clock.advanceUs(waitUs);
        const asking = calls.map(({ plan, ...call }, at) =>
          callOf({ ...call, asked: plans[plan] ?? [] }, results.length + at),
        );
        if (how === 'in company') results.push(...(await inOrder(engine, asking)));
        else for (const call of asking) results.push(await engine.decide(call));
      }
      const tenants = Array.from({ length: tenantsMax }, (_, at) => ({ id: `t${at}` }));
      const ledgers = await Promise.all(tenants.map((tenant) => engine.takeLedger(tenant, 1)));
      return { results: said(results), ledgers };
    } finally {
      await close();
    }
  }

  it('are answered as they are one after another, whatever they ask', async () => {
    const property = fc.asyncProperty(turns, async (schedule) => {
      const alone = await told(schedule, 'alone');
      // A script that Redis does not know yet is sent once more, after others of its turn.
      await told(schedule, 'in company');
      expect(await told(schedule, 'in company')).toEqual(alone);
    });
    // Another seed each time with COMPANY_RUNS; the everyday run keeps its own.
    const { COMPANY_RUNS: runs } = process.env;
    const seed = runs === undefined ? { seed: 20_261_117 } : {};
    await fc.assert(property, { numRuns: Number(runs ?? 40), ...seed });
  });

  type Called = Omit<Turns[number]['calls'][number], 'plan'> & {
    readonly asked: Turns[number]['plans'][number];
  };

  function callOf({ tenant, epoch: known, asked }: Called, at: number): DecideCall {
    return {
      tenant: { id: `t${tenant}` },
      questions: asked.map(({ limits, cost, subject, label }, nth) => ({
        id: `q${at}.${nth}`,
        peek: cost === 0,
        limits: limits.map((which) => {
          const limit = algorithms[which] ?? window;
          return bound(limit, cost, limit.global ? [] : [`s${subject}`]);
        }),
        ...(label !== null && { ledgerLabel: label }),
      })),
      ...(known && {
        snapshot: {
          epoch: { tenant: known.tenant, shared: 1 },
          confirmed: known.confirmed,
          ...(known.isOver && { validUntilUs: 1 }),
        },
      }),
    };
  }
});
