// A node is killed at every step of its way from a refusal to a row: what it had written is counted
// once by whoever comes next.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fromIoredis, RedisEngine } from '../../../limiter/src/engines/redis/index.ts';
import { Drainer } from '../../../platform/src/control/usage/drainer.ts';
import { steps } from '../../../platform/src/control/usage/usage-lines.ts';
import { type Database, openDatabase } from '../../../platform/src/database/index.ts';
import { openRedis } from '../../servers/connect.ts';
import { migratedDatabase, type PostgresDatabase } from '../../support/databases.ts';
import { die, dyingSteps } from './dying.ts';
import { countsOf, makeTenantRow } from './rig.ts';

/** Many processes at once take long to start on a busy machine. */
const startTimeoutMs = 180_000;
const calls = 8;
const limit = 5;
const truth = {
  allowed: limit,
  blocked: calls - limit,
  'm allowed': limit,
  'm blocked': calls - limit,
};

describe('a node that dies at a step of the drainer', () => {
  const prefix = `test-${randomUUID()}`;
  const redis = openRedis(inject('redisUrl'));
  const engine = new RedisEngine(fromIoredis(redis), { prefix });
  let place: PostgresDatabase;
  let database: Database;
  const deaths = new Map<string, { tenantId: string; signal: Promise<NodeJS.Signals | null> }>();

  beforeAll(async () => {
    place = await migratedDatabase();
    database = await openDatabase({ url: place.url });
    for (const step of dyingSteps) {
      const { id: tenantId } = await makeTenantRow(database.db);
      const shared = { databaseUrl: place.url, redisUrl: inject('redisUrl'), prefix };
      deaths.set(step, { tenantId, signal: die({ ...shared, tenantId, step, calls, limit }) });
    }
    await Promise.all([...deaths.values()].map(({ signal }) => signal));
  }, startTimeoutMs);

  afterAll(async () => {
    redis.disconnect();
    await database.close();
    await place.drop();
  });

  test.each(dyingSteps)('(%s) loses and doubles nothing', async (step) => {
    const { tenantId, signal } = deaths.get(step) ?? { tenantId: '', signal: null };
    expect(await signal).toBe('SIGKILL');
    const isMoved = step === 'committed' || step === 'dropped';
    expect(await countsOf(database.db, tenantId)).toEqual(isMoved ? truth : {});
    const drainer = new Drainer(database.db, engine);
    // Others who were at it, and those who come again.
    await Promise.all([1, 2].map(() => drainer.drain({ id: tenantId, generation: 0 })));
    for (const each of steps) expect(await countsOf(database.db, tenantId, each)).toEqual(truth);
    expect(await engine.hasLedger({ id: tenantId }, 2)).toBe(false);
  });
});
