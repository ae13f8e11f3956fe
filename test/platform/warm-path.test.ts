import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import type { MadeTenant } from './rig/client.ts';
import { commandsDuring } from './rig/commands.ts';
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

  async function checkTimes(count: number, key = tenant.key, asked: object = body): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) {
      const answer = await node.client.check(key, asked);
      if (answer.status !== 200) throw new Error(answer.text);
      if (String(answer.body['basis']) !== 'exact') throw new Error(answer.text);
    }
  }

  /** Under everything that can be said of a call. */
  async function makeRuled(): Promise<{ readonly key: string; readonly asked: object }> {
    const resource = 'GET:/ruled';
    const window = { algorithm: 'fixed_window', limit: 1_000_000, window_seconds: 3600 };
    const { client } = node;
    await client.change('POST', 'policies', {
      resource,
      limits: [{ ...window, name: 'all', per: ['global'] }],
    });
    const { id, key } = await client.makeTenant({
      limits: [
        { ...window, name: 'tenant', per: ['tenant'] },
        { ...window, name: 'endpoint', per: ['tenant', 'resource'] },
        { ...window, name: 'user', per: ['tenant', 'subject'] },
      ],
    });
    await client.change('POST', 'overrides', {
      tenant_id: id,
      limit: 'tenant',
      numbers: { limit: 2_000_000 },
      attributes: { team: 'eng' },
      ttl_seconds: 3600,
      reason: 'a test',
    });
    const teams = { eng: { limit: 900_000, users: { ann: { limit: 800_000 } } } };
    await client.change('PUT', `quotas/${id}`, { limit: 1_000_000, teams });
    await client.published();
    return { key, asked: { resource, subject: 'me', attributes: { team: 'eng', user: 'ann' } } };
  }

  it('under four tiers, a quota tree and an override asks no more', async () => {
    const { key, asked } = await makeRuled();
    await checkTimes(3, key, asked);
    const { body: decision } = await node.client.check(key, asked);
    expect(decision.limits as unknown[]).toHaveLength(7);
    await expectOneCommandEach(() => checkTimes(checksCount, key, asked));
  });

  it('asks PostgreSQL nothing, and Redis once', async () => {
    await expectOneCommandEach(() => checkTimes(checksCount));
  });

  async function expectOneCommandEach(check: () => Promise<void>): Promise<void> {
    let statements: string[] = [];
    const commands = await commandsDuring(redis, async () => {
      statements = await statementsDuring(postgres, check);
    });

    expect(withoutBackground(statements)).toEqual([]);
    const names = new Map<string, number>();
    for (const [name, sha = ''] of commands) {
      const label = name === 'evalsha' ? sha : name;
      names.set(label, (names.get(label) ?? 0) + 1);
    }
    const [most = '', ...others] = [...names.keys()].toSorted(
      (a, b) => (names.get(b) ?? 0) - (names.get(a) ?? 0),
    );
    expect(names.get(most)).toBe(checksCount);
    // Each second a node posts its figures, and now and then moves the ledger: not with checks.
    for (const other of others) expect(names.get(other), other).toBeLessThan(checksCount / 10);
  }

  it('is known for what it is: a check with a key that nobody knows asks PostgreSQL', async () => {
    const unknown = mint('key', node.service.foundation.secrets.mark).text;
    const statements = await statementsDuring(postgres, async () => {
      await node.client.check(unknown, body);
    });
    expect(withoutBackground(statements).length).toBeGreaterThan(0);
  });
});
