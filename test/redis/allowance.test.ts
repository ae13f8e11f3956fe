import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { fixedWindow, fromIoredis, RedisEngine } from 'sluice';
import { openRedis } from '../servers/connect.ts';
import { bound, limitOf, question } from '../support/limits.ts';

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
