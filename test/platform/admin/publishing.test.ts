import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Epoch } from '../../../limiter/src/core/engine.ts';
import { fromIoredis, RedisEngine } from '../../../limiter/src/engines/redis/index.ts';
import { openRedis } from '../../servers/connect.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { makePlace } from '../../support/databases.ts';
import { type Database, openDatabase } from '../../../platform/src/database/index.ts';
import { AdminRig, onEveryAdmin } from './rig.ts';
import { newBlock, newMode, newOverride } from './world.ts';

const limits = [{ name: 'm', algorithm: 'fixed_window', limit: 10, window_seconds: 60 }];

/** Whether a node with a snapshot of this epoch would be told to read anew. */
async function isStale(engine: Engine, tenantId: string, epoch: Epoch): Promise<boolean> {
  const tenant = { id: tenantId, generation: 0 };
  const { kind } = await engine.decide({ tenant, questions: [], snapshot: { epoch } });
  return kind === 'stale';
}

for (const engineKind of ['memory', 'redis'] as const) {
  onEveryAdmin(
    `a change that is published to ${engineKind}`,
    (suite) => {
      const epochOf = async (tenantId: string): Promise<Epoch> => {
        const { db } = suite.rig.database;
        const [own, shared] = await Promise.all([
          db
            .selectFrom('tenant_epochs')
            .select('epoch')
            .where('tenant_id', '=', tenantId)
            .executeTakeFirstOrThrow(),
          db.selectFrom('shared_epoch').select('epoch').executeTakeFirstOrThrow(),
        ]);
        return { tenant: own.epoch, shared: shared.epoch };
      };

      it('of whatever noun makes every older snapshot stale before it is answered', async () => {
        const { admin, engine } = suite;
        const tenant_id = await admin.makeTenant();
        const key = await admin.post('keys', { tenant_id, name: 'k' });
        const plan = await admin.post('plans', { tenant_id, name: 'p', limits });
        const policy = await admin.post('policies', { tenant_id, resource: 'GET:/x' });
        const override = await admin.post('overrides', newOverride(tenant_id));
        const block = await admin.post('blocks', newBlock(tenant_id));
        const mode = await admin.put('modes', newMode(tenant_id));
        const changes = [
          () => admin.post('overrides', newOverride(tenant_id)),
          () => admin.patch(`overrides/${override.body.id}`, { reason: 'x' }),
          () => admin.delete(`overrides/${override.body.id}`),
          () => admin.delete(`overrides?tenant_id=${tenant_id}`),
          () => admin.post('blocks', newBlock(tenant_id)),
          () => admin.patch(`blocks/${block.body.id}`, { action: 'bypass' }),
          () => admin.delete(`blocks/${block.body.id}`),
          () => admin.put('modes', newMode(tenant_id)),
          () => admin.delete(`modes/${mode.body.id}`),
          () => admin.patch(`tenants/${tenant_id}`, { status: 'suspended' }),
          () => admin.post('keys', { tenant_id, name: 'l' }),
          () => admin.patch(`keys/${key.body.id}`, { scopes: [] }),
          () => admin.post(`keys/${key.body.id}/rotate`, {}),
          () => admin.delete(`keys/${key.body.id}`),
          () => admin.delete(`keys/${key.body.id}`),
          () => admin.patch(`plans/${plan.body.id}`, { limits }),
          () => admin.delete(`plans/${plan.body.id}`),
          () => admin.patch(`policies/${policy.body.id}`, { cost: 2 }),
          () => admin.delete(`policies/${policy.body.id}`),
          () => admin.delete(`tenants/${tenant_id}`),
        ];
        for (const change of changes) {
          const before = await epochOf(tenant_id);
          expect(await isStale(engine, tenant_id, before)).toBe(false);
          expect((await change()).body).toMatchObject({ published: true });
          expect(await isStale(engine, tenant_id, before)).toBe(true);
        }
      });

      it('of what is shared reaches every tenant when its publication is done', async () => {
        const { admin, engine } = suite;
        const ids = [await admin.makeTenant(), await admin.makeTenant()];
        const changes = [
          () => admin.post('plans', { name: `s-${randomUUID()}`, limits }),
          () => admin.post('blocks', newBlock(null)),
          () => admin.put('modes', { scope: 'platform', mode: 'warn' }),
        ];
        for (const change of changes) {
          while (await admin.publisher.publishShared());
          const before = await Promise.all(ids.map((id) => epochOf(id)));
          const made = await change();
          expect(made.body).toMatchObject({ published: false });
          while (await admin.publisher.publishShared());
          for (const [at, id] of ids.entries()) {
            expect(await isStale(engine, id, before[at] as Epoch)).toBe(true);
          }
          const { body } = await admin.get(`publications/${made.body.publication.epoch}`);
          expect(body['done']).toBe(body['total']);
          expect(body['finished_at']).toEqual(expect.any(String));
        }
      });
    },
    { engineKind },
  );
}

/** Commands are not kept for later here: they fail until the connection stands. */
async function untilReady(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
}

describe('a change while the store is away', () => {
  let database: Database;
  let removePlace: () => Promise<void>;
  let server: RedisServer;

  beforeAll(async () => {
    const place = await makePlace('postgres', { migrated: true });
    removePlace = place.remove;
    database = await openDatabase(place.options);
    server = await startRedis();
  });
  afterAll(async () => {
    await database.close();
    await removePlace();
    await server.stop();
  });

  it('is made all the same, says that it is not published, and is published later', async () => {
    const redis = openRedis(server.url, {
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
    });
    const engine = new RedisEngine(fromIoredis(redis), { prefix: 'admin' });
    const admin = await AdminRig.open(database, engine);
    await untilReady(redis);
    const id = await admin.makeTenant();
    const { port } = server;
    await server.stop();
    const changed = await admin.patch(`tenants/${id}`, { name: 'meanwhile' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'meanwhile', published: false } });
    server = await startRedis({ port });
    await untilReady(redis);
    expect(await admin.publisher.sweep()).toBe(1);
    expect(await admin.publisher.sweep()).toBe(0);
    expect(await isStale(engine, id, { tenant: 1, shared: 1 })).toBe(true);
    await admin.app.close();
    redis.disconnect();
  });
});
