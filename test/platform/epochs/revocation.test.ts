import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openRedis } from '../../servers/connect.ts';
import { startRedis, type RedisServer } from '../../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { makeTenant, startFleet, startLoad, type Fleet, type Key, type Tenant } from './fleet.ts';

const nodeCount = 8;
const revocations = 200;
const tenantCount = 10;

describe('a revoked key, on eight nodes', () => {
  let folder: string;
  let server: RedisServer;
  let redis: Redis;
  let fleet: Fleet;

  beforeAll(async () => {
    folder = await createTemporaryFolder('revocation');
    server = await startRedis({ settings: ['--dir', folder, '--dbfilename', 'now.rdb'] });
    redis = openRedis(server.url);
    fleet = await startFleet({
      count: nodeCount,
      redisUrl: server.url,
      postgresUrl: inject('postgresUrl'),
    });
  }, 240_000);
  afterAll(async () => {
    await fleet?.stop();
    redis?.disconnect();
    await server?.stop();
    if (folder) await removeFolder(folder);
  });

  const makeKeys = async (count: number): Promise<Key[]> => {
    const tenants: Tenant[] = [];
    for (let made = 0; made < tenantCount; made += 1) {
      tenants.push(await makeTenant(fleet, count / tenantCount));
    }
    return tenants.flatMap(({ keys }) => keys);
  };
  const warm = async (keys: readonly Key[]) => {
    for (const { text } of keys) {
      const answers = await fleet.checkEverywhere(text);
      expect(answers.map(({ status }) => status)).toEqual(Array(nodeCount).fill(200));
    }
  };
  const revoke = async ({ id }: Key) => {
    const { published } = await fleet.admin<{ published: boolean }>('DELETE', `keys/${id}`);
    expect(published).toBe(true);
  };
  const expectRefusedEverywhere = async (key: Key) => {
    const answers = await fleet.checkEverywhere(key.text);
    expect(answers.map(({ status }) => status)).toEqual(Array(nodeCount).fill(401));
  };

  it('reads no usage anywhere once the revocation is answered', async () => {
    const keys = await makeKeys(tenantCount);
    const usageEverywhere = (key: Key) =>
      Promise.all(
        fleet.nodes.map(async ({ url }) => {
          const answer = await fetch(`${url}/v1/usage`, { headers: { 'x-api-key': key.text } });
          await answer.body?.cancel();
          return answer.status;
        }),
      );
    for (const key of keys) {
      expect(await usageEverywhere(key)).toEqual(Array(nodeCount).fill(200));
      await revoke(key);
      expect(await usageEverywhere(key)).toEqual(Array(nodeCount).fill(401));
    }
  }, 60_000);

  it('is accepted nowhere once the revocation is answered, under load, two hundred times', async () => {
    const keys = await makeKeys(revocations);
    const survivors = await makeKeys(tenantCount);
    await warm(keys);
    const load = startLoad(fleet, [...keys, ...survivors]);
    const answeredAtMs = new Map<string, number>();
    for (const key of keys) {
      await revoke(key);
      answeredAtMs.set(key.text, performance.now());
      await expectRefusedEverywhere(key);
    }
    await load.stop();
    const late = load.sent.filter(
      ({ key, sentAtMs, status }) =>
        status !== 401 && sentAtMs > (answeredAtMs.get(key) ?? Infinity),
    );
    expect(late).toEqual([]);
    const others = load.sent.filter(({ key }) => !answeredAtMs.has(key));
    expect(others.length).toBeGreaterThan(100);
    expect(others.filter(({ status }) => status !== 200)).toEqual([]);
  }, 300_000);

  it('stays refused after Redis lost all its data', { timeout: 120_000 }, async () => {
    const keys = await makeKeys(20);
    await warm(keys);
    for (const key of keys) {
      await revoke(key);
      await redis.flushall();
      await expectRefusedEverywhere(key);
    }
  });

  it('stays refused after Redis went back in time', { timeout: 120_000 }, async () => {
    const keys = await makeKeys(20);
    const survivor = (await makeTenant(fleet, 1)).keys[0] as Key;
    await warm([...keys, survivor]);
    await redis.save();
    await copyFile(join(folder, 'now.rdb'), join(folder, 'old.rdb'));
    for (const key of keys) await revoke(key);
    const load = startLoad(fleet, keys);
    const { port } = server;
    await server.stop();
    server = await startRedis({ port, settings: ['--dir', folder, '--dbfilename', 'old.rdb'] });
    await expectAgain(survivor);
    await load.stop();
    // While there is no Redis, a limit's own policy decides, and says so; the promise is for the rest.
    expect(load.sent.filter(({ basis }) => basis === 'exact')).toEqual([]);
    for (const key of keys) await expectRefusedEverywhere(key);
  });

  it('is refused by who never knew it, by what Redis remembers of it', async () => {
    const key = (await makeTenant(fleet, 1)).keys[0] as Key;
    const [first] = fleet.nodes;
    expect((await fleet.check(first as (typeof fleet.nodes)[0], key.text)).status).toBe(200);
    await revoke(key);
    await expectRefusedEverywhere(key);
  });

  it('needs nobody to listen: no node subscribes to anything', async () => {
    const clients = (await redis.client('LIST')) as string;
    expect(clients).toMatch(/name=sluice/);
    expect(clients).not.toMatch(/ sub=[1-9]| psub=[1-9]| ssub=[1-9]/);
  });

  /** Every node decides exactly again: it has found the server that came back. */
  async function expectAgain({ text }: Key): Promise<void> {
    await expect
      .poll(async () => (await fleet.checkEverywhere(text)).map(({ basis }) => basis), {
        timeout: 30_000,
      })
      .toEqual(Array(nodeCount).fill('exact'));
  }
});
