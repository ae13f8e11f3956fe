// What one tenant may have under way is what its pool says, on a real Redis.

import { inject, expect, onTestFinished, test } from 'vitest';
import { PoolStore } from '../../../platform/src/store/pool-store.ts';
import type { Guarded } from 'sluice';
import { fromIoredis } from '../../../limiter/src/engines/redis/index.ts';
import { openRedis } from '../../servers/connect.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { randomUUID } from 'node:crypto';

const limit = limitOf({ algorithm: 'fixed_window', limit: 1000, window: '1 h' });

test('no more calls of a tenant are under way than its pool lets, and all are decided', async () => {
  const redis = openRedis(inject('redisUrl'));
  onTestFinished(() => redis.disconnect());
  let most = 0;
  const store: PoolStore = new PoolStore(
    { id: randomUUID(), name: 'narrow', redisUrl: null, connections: 4, maxInFlight: 3 },
    {
      url: inject('redisUrl'),
      secret: randomUUID(),
      deadlineMs: 20_000,
      shared: fromIoredis(redis),
      wrap: (client) => ({
        ...client,
        evalsha: (...call) => {
          // Calls, not commands: those of one turn travel together.
          most = Math.max(most, (store.counting.engine as Guarded).inFlight);
          return client.evalsha(...call);
        },
      }),
      onCall: () => {},
      onError: () => {},
      onChange: () => {},
      onLost: () => {},
      onBreaker: () => {},
      onFinding: () => {},
      onAlarm: () => {},
      isUnsafeWanted: false,
    },
  );
  onTestFinished(() => store.close());
  const tenant = { id: randomUUID() };
  const ask = () =>
    store.counting.engine.decide({ tenant, questions: [question([bound(limit, 1)])] });
  await ask();
  const results = await Promise.all(Array.from({ length: 200 }, ask));
  expect(results.every(({ kind }) => kind === 'answered')).toBe(true);
  expect(most).toBe(3);
});
