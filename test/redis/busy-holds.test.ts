import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Redis } from 'ioredis';
import {
  fromIoredis,
  RedisEngine,
  type RedisClient,
} from '../../limiter/src/engines/redis/index.ts';
import { openScripts } from '../../limiter/src/engines/redis/scripts.ts';
import { openRedis } from '../servers/connect.ts';
import { FakeClock, luaWithFakeClock, tellingTime } from '../support/fake-clock.ts';
import { bound, limitOf, question } from '../support/limits.ts';

const tenant = { id: 'busy' };
const limit = bound(limitOf({ algorithm: 'fixed_window', limit: 1000, window: '1 day' }));
let redis: Redis;

beforeAll(() => {
  redis = openRedis(inject('redisUrl'));
});

afterAll(() => redis?.disconnect());

/** Time passes with every trip, as it does. */
function openSlowEngine() {
  const clock = new FakeClock();
  const client = tellingTime(fromIoredis(redis), clock);
  let trips = 0;
  const pass = () => {
    trips += 1;
    clock.advanceMs(1);
  };
  const slow: RedisClient = {
    evalsha: (...args) => {
      pass();
      return client.evalsha(...args);
    },
    eval: (...args) => {
      pass();
      return client.eval(...args);
    },
  };
  const engine = new RedisEngine(slow, {
    prefix: `test-${randomUUID()}`,
    clock: clock.read,
    scripts: openScripts(luaWithFakeClock),
  });
  return { engine, clock, tripsOf: () => trips };
}

test('where a reservation runs out during every trip, a check is decided all the same', async () => {
  const { engine, tripsOf } = openSlowEngine();
  const reserve = { ttlMs: 150, onExpiry: 'refund' } as const;
  for (let at = 0; at < 149; at += 1) {
    await engine.decide({ tenant, questions: [question([limit], { reserve })] });
  }
  for (let at = 0; at < 40; at += 1) {
    const before = tripsOf();
    const { kind } = await engine.decide({ tenant, questions: [question([limit])] });
    const { readings } = await engine.inspect(tenant, [limit]);
    expect([kind, readings.length]).toEqual(['answered', 1]);
    // At first the server must learn three scripts.
    expect(tripsOf() - before).toBeLessThanOrEqual(at === 0 ? 9 : 6);
  }
});
