import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createLimiter, fixedWindow, fromIoredis, RedisEngine } from 'sluice';
import { Coalescer } from '../../limiter/src/engines/redis/coalesce.ts';
import type { DecideCall, DecideResult, Engine } from '../../limiter/src/core/engine.ts';
import { StoreFailure } from '../../limiter/src/core/errors.ts';
import { openRedis } from '../servers/connect.ts';
import { bound, limitOf, question } from '../support/limits.ts';

describe('calls of one turn', () => {
  const redis = openRedis(inject('redisUrl'), { autoResendUnfulfilledCommands: false });
  const engine = new RedisEngine(fromIoredis(redis), { prefix: `coalesce-${randomUUID()}` });
  const limit = limitOf(fixedWindow({ limit: 300, window: '1 h', per: ['tenant'] }));
  afterAll(() => redis.disconnect());

  /** An engine that counts how often it is called. */
  function counting(): { decider: Coalescer; calls: DecideCall[] } {
    const calls: DecideCall[] = [];
    const decide = (call: DecideCall) => {
      calls.push(call);
      return engine.decide(call);
    };
    return { decider: new Coalescer({ decide }), calls };
  }

  const ask = (tenant: string) => ({
    tenant: { id: tenant },
    questions: [question([bound(limit, 1, [])])],
  });

  it('travel together, are decided in order and each on its own', async () => {
    const { decider, calls } = counting();
    const tenant = randomUUID();
    const results = await Promise.all(
      Array.from({ length: 500 }, () => decider.decide(ask(tenant))),
    );
    expect(calls).toHaveLength(Math.ceil(500 / 16));
    expect(results.map(isAllowed)).toEqual(Array.from({ length: 500 }, (_, at) => at < 300));
  });

  it('travel together though made in several ticks, as by several connections', async () => {
    const { decider, calls } = counting();
    const tenant = randomUUID();
    const first = decider.decide(ask(tenant));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const second = decider.decide(ask(tenant));
    await Promise.all([first, second]);
    expect(calls).toHaveLength(1);
  });

  it('of two tenants, generations or snapshots never travel together', async () => {
    const { decider, calls } = counting();
    const [first, second] = [randomUUID(), randomUUID()];
    const snapshot = { epoch: { tenant: 1, shared: 1 }, confirmed: true };
    const later = { ...ask(first), tenant: { id: first, generation: 1 } };
    await Promise.all(
      [ask(first), ask(second), later, { ...ask(first), snapshot }].map((call) =>
        decider.decide(call),
      ),
    );
    expect(calls).toHaveLength(4);
  });

  it('with several questions each get all their answers', async () => {
    const { decider, calls } = counting();
    const tenant = { id: randomUUID() };
    const questions = Array.from({ length: 3 }, () => question([bound(limit, 1, [])]));
    const [one, three] = await Promise.all([
      decider.decide(ask(tenant.id)),
      decider.decide({ tenant, questions }),
    ]);
    expect(calls).toHaveLength(1);
    expect(one.kind === 'answered' && one.answers.length).toBe(1);
    expect(three.kind === 'answered' && three.answers.length).toBe(3);
  });

  it('all hear of it when the store fails, or when their snapshot is stale', async () => {
    const failing = new Coalescer({ decide: () => Promise.reject(new StoreFailure('gone')) });
    const stale: DecideResult = { kind: 'stale', nowUs: 1 };
    const late = new Coalescer({ decide: () => Promise.resolve(stale) });
    const heard = await Promise.allSettled([failing.decide(ask('a')), failing.decide(ask('a'))]);
    expect(heard.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(Promise.all([late.decide(ask('a')), late.decide(ask('a'))])).resolves.toEqual([
      stale,
      stale,
    ]);
  });

  it('that were sent are no company for the next', async () => {
    const { decider, calls } = counting();
    const tenant = randomUUID();
    await decider.decide(ask(tenant));
    await decider.decide(ask(tenant));
    expect(calls.map(({ questions }) => questions.length)).toEqual([1, 1]);
  });

  it.each([2, 15])('of %i tenants in turns are one call for each of them', async (count) => {
    const { decider, calls } = counting();
    const tenants = Array.from({ length: count }, () => randomUUID());
    for (const turn of [1, 2]) {
      const asked = [...tenants, ...tenants.toReversed(), ...tenants].map((id) => ask(id));
      const results = await Promise.all(asked.map((call) => decider.decide(call)));
      expect(results.every(isAllowed)).toBe(true);
      expect(calls).toHaveLength(turn * count);
    }
    expect(calls.every(({ questions }) => questions.length === 3)).toBe(true);
  });

  it('of as many tenants as fit into one go do not wait for the turn to end', async () => {
    const sent: string[][] = [];
    const decideAll: Engine['decideAll'] = async (all, tell) => {
      sent.push(all.map(({ tenant: { id }, questions }) => `${id} ${questions.length}`));
      for (let at = 0; at < all.length; at += 1) tell(at, { kind: 'stale', nowUs: 1 });
    };
    const decide = () => Promise.reject(new Error('each by itself'));
    const decider = new Coalescer({ decide, decideAll });
    const of = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => String(from + at));
    const asked = (ids: readonly string[]) => ids.map((id) => decider.decide(ask(id)));

    const few = asked([...of(0, 15), ...of(0, 15)]);
    expect(sent).toEqual([]);
    const last = asked(of(15, 20));
    // Two of each, so that they are more than one call.
    expect(sent.flat()).toEqual([...of(0, 15).map((id) => `${id} 2`), '15 1']);
    await Promise.all([...few, ...last]);
    expect(sent.flat().slice(16)).toEqual(of(16, 20).map((id) => `${id} 1`));

    sent.length = 0;
    await Promise.all(asked(of(0, 40)));
    expect(sent.map(({ length }) => length)).toEqual([16, 16, 8]);
  });

  it('are admitted exactly as often as the limit allows, through the limiter', async () => {
    const limiter = createLimiter({
      redis,
      name: `c-${randomUUID()}`,
      limits: [fixedWindow({ limit: 777, window: '1 h', per: ['tenant'] })],
      deadlineMs: 10_000,
    });
    const checks = Array.from({ length: 2000 }, (_, at) =>
      limiter.check({ resource: 'r', subject: `s${at}` }),
    );
    const decisions = await Promise.all(checks);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(777);
    expect(decisions.every(({ basis }) => basis === 'exact')).toBe(true);
  });
});

function isAllowed(result: DecideResult): boolean {
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  return answer?.kind === 'decided' && answer.allowed;
}
