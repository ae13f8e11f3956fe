import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { findFreePort } from '../servers/free-port.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import type { MadeTenant } from './rig/client.ts';
import { type RunningNode, startNode } from './rig/node.ts';

const body = { resource: 'GET:/orders', subject: 'ann' };
const open = { name: 'open', algorithm: 'fixed_window', limit: 100_000, window_seconds: 3600 };
const closed = { ...open, name: 'closed', on_store_failure: 'closed' };

/** What is answered must outlive the server: other tests trade that for speed. */
const durable = { synchronous_commit: 'on' };

describe('with PostgreSQL away', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let folder: string;
  let node: RunningNode;
  let known: MadeTenant;
  let fresh: MadeTenant;

  beforeAll(async () => {
    [postgres, redis, folder] = await Promise.all([
      startPostgres({ settings: durable }),
      startRedis(),
      createTemporaryFolder('data'),
    ]);
    node = await startNode({
      SLUICE_DATABASE_URL: postgres.url,
      SLUICE_REDIS_URL: redis.url,
      SLUICE_DATA_DIR: folder,
    });
    known = await node.client.makeTenant({ limits: [open] });
    await node.client.check(known.key, body);
  });

  afterAll(async () => {
    await node.stop();
    await Promise.all([postgres.stop(), redis.stop(), removeFolder(folder)]);
  });

  /** What must hold while it is away, however it is away. */
  async function requireService(): Promise<void> {
    const endMs = Date.now() + 3000;
    while (Date.now() < endMs) {
      const answer = await node.client.check(known.key, body);
      expect([answer.status, answer.body['basis']]).toEqual([200, 'exact']);
      await sleep(10);
    }
    const { mark } = node.service.foundation.secrets;
    const [stranger, listed, changed] = await Promise.all([
      node.client.check(mint('key', mark).text, body),
      node.client.admin('GET', 'tenants'),
      node.client.admin('PATCH', `tenants/${known.id}`, { name: 'not now' }),
    ]);
    for (const answer of [stranger, listed, changed]) {
      expect([answer.status, answer.body['code']]).toEqual([503, 'unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.text).not.toMatch(/postgres|127\.0\.0\.1|ECONN|connection/i);
    }
    expect((await node.client.check('nonsense', body)).status).toBe(401);
    const ready = await node.client.get('/v1/ready');
    expect(ready.status).toBe(200);
    expect(ready.body).toMatchObject({
      ready: true,
      degraded: true,
      dependencies: { database: 'down', store: 'up' },
    });
    expect((await node.client.get('/v1/health')).status).toBe(200);
    expect((await node.client.check(known.key, body)).body['basis']).toBe('exact');
  }

  async function requireRecovery(): Promise<void> {
    await expect
      .poll(async () => (await node.client.admin('GET', 'tenants')).status, { timeout: 20_000 })
      .toBe(200);
    expect((await node.client.check(fresh.key, body)).status).toBe(200);
    const found = await node.client.admin('GET', `tenants/${known.id}`);
    expect(found.body['name']).not.toBe('not now');
    const changed = await node.client.admin('PATCH', `tenants/${known.id}`, {
      status: 'suspended',
    });
    expect(changed.body['published']).toBe(true);
    expect((await node.client.check(known.key, body)).status).toBe(403);
    await node.client.change('PATCH', `tenants/${known.id}`, { status: 'active' });
    expect((await node.client.check(known.key, body)).status).toBe(200);
  }

  it('checks go on from what is known, and all is there when it comes back: it was killed', async () => {
    fresh = await node.client.makeTenant({ limits: [open] });
    await postgres.halt();
    await requireService();
    await postgres.resume();
    await requireRecovery();
  });

  it('checks go on from what is known, and all is there when it comes back: it hangs', async () => {
    fresh = await node.client.makeTenant({ limits: [open] });
    // First the one that makes others: a connection made meanwhile would be answered.
    process.kill(postgres.pid, 'SIGSTOP');
    const pids = await pidsOf(postgres);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      await requireService();
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    await requireRecovery();
  });

  it('a key that was revoked just before is refused by nodes that only knew it as good', async () => {
    const other = await startNode({
      SLUICE_DATABASE_URL: postgres.url,
      SLUICE_REDIS_URL: redis.url,
      SLUICE_DATA_DIR: folder,
    });
    try {
      for (let round = 0; round < 5; round += 1) {
        const made = await node.client.makeTenant({ limits: [open] });
        expect((await other.client.check(made.key, body)).status).toBe(200);
        const pids = await pidsOf(postgres);
        await node.client.change('DELETE', `keys/${made.keyId}`);
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
        const answers = [other, node].map(({ client }) => client.check(made.key, body));
        const statuses = (await Promise.all(answers)).map(({ status }) => status);
        for (const pid of pids) process.kill(pid, 'SIGCONT');
        expect(statuses).toEqual([401, 401]);
      }
    } finally {
      await other.stop();
    }
  });

  it('a change that was answered 503 or not at all has happened wholly or not', async () => {
    const names = new Set<string>();
    const failed = new Set<string>();
    const over = new AbortController();
    const writing = (async () => {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        const name = `during ${turn}`;
        const { status } = await node.client.admin('POST', 'tenants', { name });
        (status === 201 ? names : failed).add(name);
      }
    })();
    await sleep(300);
    await postgres.halt();
    await sleep(500);
    await postgres.resume();
    await expect
      .poll(async () => (await node.client.admin('GET', 'tenants')).status, { timeout: 20_000 })
      .toBe(200);
    over.abort();
    await writing;
    const listed = new Map<string, string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: { id: string; name: string }[]; next_cursor: string | null } =
        await node.client.change(
          'GET',
          `tenants?limit=100&name_prefix=during${cursor && `&cursor=${cursor}`}`,
        );
      for (const { id, name } of page.items) listed.set(name, id);
      cursor = page.next_cursor;
    }
    expect(names.size).toBeGreaterThan(0);
    for (const name of names) expect(listed.has(name), name).toBe(true);
    // Those that are there all have their epoch and their line in the audit.
    const { db } = node.service.foundation.database;
    const ids = [...listed.values()];
    const epochs = await db
      .selectFrom('tenant_epochs')
      .select('tenant_id')
      .where('tenant_id', 'in', ids)
      .execute();
    const noted = await db
      .selectFrom('audit_entries')
      .select('object_id')
      .where('object_id', 'in', ids)
      .where('action', '=', 'create')
      .execute();
    expect([epochs.length, noted.length]).toEqual([ids.length, ids.length]);
  });

  /** The server and all its processes. */
  /** Its own first. */
  async function pidsOf({ pid }: PostgresServer): Promise<number[]> {
    return [pid, ...(await childrenOf(pid))];
  }

  async function childrenOf(parent: number): Promise<number[]> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const lines = stdout.trim().split('\n');
    const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([pid, of]) => (pid !== undefined && of === parent ? [pid] : []));
  }
});

describe('a node that starts while Redis is away', () => {
  let postgres: PostgresServer;
  let folder: string;

  beforeAll(async () => {
    [postgres, folder] = await Promise.all([startPostgres(), createTemporaryFolder('data')]);
  });

  afterAll(async () => {
    await Promise.all([postgres.stop(), removeFolder(folder)]);
  });

  it('decides by what each limit says, and exactly as soon as Redis is there', async () => {
    const port = await findFreePort();
    const node = await startNode({
      SLUICE_DATABASE_URL: postgres.url,
      SLUICE_REDIS_URL: `redis://127.0.0.1:${port}`,
      SLUICE_DATA_DIR: folder,
      SLUICE_STORE_DEADLINE_MS: '50',
    });
    let redis: RedisServer | undefined;
    try {
      const { client } = node;
      const made = await client.admin('POST', 'tenants', { name: 'Acme' });
      expect([made.status, made.body['published']]).toEqual([201, false]);
      const [lenient, strict] = [
        await client.makeTenant({ limits: [open] }),
        await client.makeTenant({ limits: [closed] }),
      ];
      const allowed = await client.check(lenient.key, body);
      expect(allowed.status).toBe(200);
      expect(allowed.body['basis']).toBe('fail_open');
      const refused = await client.check(strict.key, body);
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({
        basis: 'fail_closed',
        blocked_by: { limit: 'closed', reason: 'unavailable' },
      });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const ready = await client.get('/v1/ready');
      expect(ready.body['dependencies']).toMatchObject({ store: 'down', database: 'up' });
      expect((await client.get('/metrics')).text).toMatch(/rl_degraded_total\{basis="fail_open"/);

      redis = await startRedis({ port });
      for (const { key } of [lenient, strict]) {
        await expect
          .poll(async () => (await client.check(key, body)).body['basis'], { timeout: 20_000 })
          .toBe('exact');
        expect((await client.check(key, body)).status).toBe(200);
      }
      // What could not be published then is published now.
      const { db } = node.service.foundation.database;
      await expect
        .poll(
          async () =>
            db
              .selectFrom('tenant_epochs')
              .select('tenant_id')
              .whereRef('published_epoch', '<', 'epoch')
              .execute(),
          { timeout: 10_000 },
        )
        .toEqual([]);
    } finally {
      await node.stop();
      await redis?.stop();
    }
  });
});
