import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { fixedWindow, fromIoredis, RedisEngine } from 'sluice';
import { openRedis } from '../servers/connect.ts';
import { bound, limitOf, question } from '../support/limits.ts';

describe('an allowance of three reservations an hour', () => {
  const redis = openRedis(inject('redisUrl'));
  afterAll(() => redis.disconnect());

  it('fails those beyond it, which hold nothing, and no other tenant’s', async () => {
    const allowances = { countersPerHour: 9, recordsPerHour: 9, reservationsPerHour: 3 };
    const prefix = `allowance-${randomUUID()}`;
    const engine = new RedisEngine(fromIoredis(redis), { prefix, allowances });
    const limit = limitOf(fixedWindow({ limit: 1000, window: '1 h' }));
    const reserve = { ttlMs: 60_000, onExpiry: 'refund' } as const;
    const ask = (id: string) =>
      engine.decide({ tenant: { id }, questions: [question([bound(limit, 5)], { reserve })] });
    for (let made = 0; made < 3; made += 1) {
      expect(await ask('a')).toMatchObject({ kind: 'answered', answers: [{ allowed: true }] });
    }
    await expect(ask('a')).rejects.toMatchObject({ reason: 'too many reservations' });
    const { readings } = await engine.inspect({ id: 'a' }, [bound(limit)]);
    expect(readings[0]).toMatchObject({ held: 15 });
    expect(await ask('b')).toMatchObject({ kind: 'answered' });
  });
});

describe('an allowance of one new counter an hour', () => {
  const redis = openRedis(inject('redisUrl'));
  afterAll(() => redis.disconnect());

  /** How many of the subjects got a counter of their own. */
  async function ownCounters(window: '1 s' | '2 h', subjects: number): Promise<number> {
    const allowances = { countersPerHour: 1, recordsPerHour: 1 };
    const prefix = `allowance-${randomUUID()}`;
    const engine = new RedisEngine(fromIoredis(redis), { prefix, allowances });
    const limit = limitOf(fixedWindow({ limit: 1000, window, align: 'first_request' }));
    let own = 0;
    for (let subject = 0; subject < subjects; subject += 1) {
      const questions = [question([bound(limit, 1, [`s${subject}`])])];
      const result = await engine.decide({ tenant: { id: 'a' }, questions });
      const answer = result.kind === 'answered' ? result.answers[0] : undefined;
      if (answer?.kind === 'decided' && answer.degraded === null) own += 1;
    }
    return own;
  }

  it('is used up by one that lives for hours', async () => {
    expect(await ownCounters('2 h', 5)).toBe(1);
  });

  it('covers many that live for a second, each by its share of the hour', async () => {
    expect(await ownCounters('1 s', 200)).toBe(200);
  });
});
