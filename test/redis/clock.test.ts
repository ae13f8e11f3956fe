import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { fromIoredis, quota, RedisEngine } from 'sluice';
import type { PeriodBounds } from '../../limiter/src/core/calendar/index.ts';
import { openRedis } from '../servers/connect.ts';
import { bound, limitOf, question } from '../support/limits.ts';

const dayUs = 86_400_000_000;

describe('a process whose clock is off', () => {
  const redis = openRedis(inject('redisUrl'));
  const limit = limitOf(quota({ limit: 2, period: 'day' }));
  const tenant = { id: 'a' };
  afterAll(() => redis.disconnect());

  it.each([-100, -3, 3, 100])('by %i periods counts a quota like all others', async (periods) => {
    const engine = new RedisEngine(fromIoredis(redis), {
      prefix: `clock-${randomUUID()}`,
      clock: () => Date.now() * 1000 + periods * dayUs,
    });
    const allowed: boolean[] = [];
    for (let call = 0; call < 4; call += 1) {
      const result = await engine.decide({ tenant, questions: [question([bound(limit)])] });
      const answer = result.kind === 'answered' ? result.answers[0] : undefined;
      allowed.push(answer?.kind === 'decided' && answer.allowed);
    }
    expect(allowed).toEqual([true, true, false, false]);
    const { nowUs, readings } = await engine.inspect(tenant, [bound(limit)]);
    expect(readings).toEqual([expect.objectContaining({ verdict: 'exceeded' })]);
    const [{ startUs, endUs }] = readings.map(({ state }) => state) as [PeriodBounds];
    expect(startUs <= nowUs && nowUs < endUs).toBe(true);
  });
});
