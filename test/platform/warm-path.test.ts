import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import { openRedis } from '../servers/connect.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import type { MadeTenant } from './rig/client.ts';
import { type RunningNode, startNode } from './rig/node.ts';
import { statementLog, statementsDuring, withoutBackground } from './rig/statements.ts';

const checksCount = 1000;

describe('a warm check, as the servers count', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let node: RunningNode;
  let folder: string;
  let tenant: MadeTenant;
  const body = { resource: 'GET:/orders', subject: 'ann' };

  beforeAll(async () => {
    [postgres, redis, folder] = await Promise.all([
      startPostgres({ settings: statementLog }),
      startRedis(),
      createTemporaryFolder('data'),
    ]);
    node = await startNode({
      SLUICE_DATABASE_URL: postgres.url,
      SLUICE_REDIS_URL: redis.url,
      SLUICE_DATA_DIR: folder,
    });
    tenant = await node.client.makeTenant();
    await checkTimes(3);
  });

  afterAll(async () => {
    await node.stop();
    await Promise.all([postgres.stop(), redis.stop(), removeFolder(folder)]);
  });

  async function checkTimes(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) {
      const answer = await node.client.check(tenant.key, body);
      if (answer.status !== 200) throw new Error(answer.text);
      if (String(answer.body['basis']) !== 'exact') throw new Error(answer.text);
    }
  }

  it('asks PostgreSQL nothing, and Redis once', async () => {
    const watcher = openRedis(redis.url);
    const monitor = await watcher.monitor();
    const commands: string[][] = [];
    // What a script does, it does within its one command.
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (source !== 'lua') commands.push(args);
    });
    const statements = await statementsDuring(postgres, () => checkTimes(checksCount));
    await watcher.ping('the end');
    while (!commands.some(([, said]) => said === 'the end')) await sleep(5);
    monitor.disconnect();
    watcher.disconnect();

    expect(withoutBackground(statements)).toEqual([]);
    const names = new Map<string, number>();
    for (const [name = '', sha = ''] of commands) {
      const label = name.toLowerCase() === 'evalsha' ? sha : name.toLowerCase();
      names.set(label, (names.get(label) ?? 0) + 1);
    }
    names.delete('ping');
    const [most = '', ...others] = [...names.keys()].toSorted(
      (a, b) => (names.get(b) ?? 0) - (names.get(a) ?? 0),
    );
    expect(names.get(most)).toBe(checksCount);
    // The ledger is moved every ten seconds, by a handful of scripts: not by checks.
    for (const other of others) expect(names.get(other), other).toBeLessThan(10);
  });

  it('is known for what it is: a check with a key that nobody knows asks PostgreSQL', async () => {
    const unknown = mint('key', node.service.foundation.secrets.mark).text;
    const statements = await statementsDuring(postgres, async () => {
      await node.client.check(unknown, body);
    });
    expect(withoutBackground(statements).length).toBeGreaterThan(0);
  });
});
