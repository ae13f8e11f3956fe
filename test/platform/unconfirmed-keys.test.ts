// How long a key is believed that neither PostgreSQL nor Redis can confirm, and what is done then.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startRedis, type RedisServer } from '../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { migratedDatabase, type PostgresDatabase } from '../support/databases.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { Answer, MadeTenant } from './rig/client.ts';
import { type RunningNode, startNode } from './rig/node.ts';

const seconds = 3;
const body = { resource: 'GET:/orders', subject: 'ann' };
const open = { name: 'open', algorithm: 'fixed_window', limit: 100_000, window_seconds: 3600 };

let redis: RedisServer;
let database: PostgresDatabase;
let folder: string;
let proxies: { readonly redis: FaultProxy; readonly postgres: FaultProxy };
let accepting: RunningNode;
let refusing: RunningNode;
let tenant: MadeTenant;

beforeAll(async () => {
  [redis, database, folder] = await Promise.all([
    startRedis(),
    migratedDatabase(),
    createTemporaryFolder('data'),
  ]);
  proxies = {
    redis: await FaultProxy.start(redis.port),
    postgres: await FaultProxy.start(Number(new URL(inject('postgresUrl')).port)),
  };
  const databaseUrl = new URL(database.url);
  databaseUrl.port = String(proxies.postgres.port);
  const start = (policy: string) =>
    startNode({
      SLUICE_DATABASE_URL: databaseUrl.href,
      SLUICE_DATABASE_POOL: '4',
      SLUICE_REDIS_URL: `redis://127.0.0.1:${proxies.redis.port}`,
      SLUICE_DATA_DIR: folder,
      SLUICE_STORE_DEADLINE_MS: '500',
      SLUICE_UNCONFIRMED_KEYS: policy,
      SLUICE_UNCONFIRMED_KEYS_SECONDS: String(seconds),
    });
  accepting = await start('accept');
  refusing = await start('refuse');
  tenant = await accepting.client.makeTenant({ limits: [open] });
  for (const node of [accepting, refusing]) await ask(node);
});

afterAll(async () => {
  for (const proxy of [proxies.redis, proxies.postgres]) proxy.fault = { kind: 'pass' };
  await accepting?.stop();
  await refusing?.stop();
  await Promise.all([proxies.redis.stop(), proxies.postgres.stop()]);
  await Promise.all([redis.stop(), database.drop(), removeFolder(folder)]);
});

function lose(proxy: FaultProxy): void {
  proxy.fault = { kind: 'swallow' };
  proxy.cut();
}

function bringBack(proxy: FaultProxy): void {
  proxy.fault = { kind: 'pass' };
  proxy.cut();
}

function check({ client }: RunningNode): Promise<Answer> {
  return client.check(tenant.key, body);
}

async function ask(node: RunningNode): Promise<string> {
  const { status, body: answer } = await check(node);
  return [status, answer['basis']].join(' ');
}

async function until(node: RunningNode, wanted: string): Promise<void> {
  await expect.poll(() => ask(node), { timeout: 20_000, interval: 50 }).toBe(wanted);
}

async function counted({ client }: RunningNode, outcome: string): Promise<number> {
  const { text } = await client.get('/metrics');
  const line = new RegExp(`^rl_unconfirmed_keys_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

/** How often each event was logged that says when a node begins and ends. */
function logged(node: RunningNode): readonly number[] {
  return ['"keys.unconfirmed"', '"keys.confirmed"'].map(
    (event) => node.log().split(event).length - 1,
  );
}

test('with PostgreSQL away for longer, Redis confirms each check', async () => {
  lose(proxies.postgres);
  const endMs = performance.now() + seconds * 1000 + 500;
  while (performance.now() < endMs) {
    for (const node of [accepting, refusing]) expect(await ask(node)).toBe('200 exact');
    await sleep(50);
  }
  for (const node of [accepting, refusing]) expect(logged(node)).toEqual([0, 0]);
});

test('with both away a key is believed for a while, and then as is declared', async () => {
  lose(proxies.redis);
  for (const node of [accepting, refusing]) expect(await ask(node)).toBe('200 fail_open');
  expect(await counted(accepting, 'accepted')).toBe(0);
  await until(refusing, '429 fail_closed');
  const refused = await check(refusing);
  expect(refused.body).toMatchObject({
    allowed: false,
    degraded_reason: 'unconfirmed_key',
    blocked_by: { limit: null, reason: 'unavailable' },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  await expect.poll(() => counted(refusing, 'refused')).toBeGreaterThanOrEqual(2);
  // Each node by its own clock.
  await expect
    .poll(
      async () => {
        expect(await ask(accepting)).toBe('200 fail_open');
        return counted(accepting, 'accepted');
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  for (const node of [accepting, refusing]) {
    await expect.poll(() => logged(node)).toEqual([1, 0]);
  }
});

test('a Redis that comes back first confirms nothing: it may be as it was earlier', async () => {
  bringBack(proxies.redis);
  const isUp = async () => (await refusing.client.get('/v1/ready')).body['dependencies']['store'];
  await expect.poll(isUp, { timeout: 20_000 }).toBe('up');
  expect(await ask(refusing)).toBe('429 fail_closed');
  for (const node of [accepting, refusing]) expect(logged(node)).toEqual([1, 0]);
});

test('with PostgreSQL back, keys are confirmed and checks exact', async () => {
  bringBack(proxies.postgres);
  for (const node of [accepting, refusing]) await until(node, '200 exact');
  for (const node of [accepting, refusing]) {
    await expect.poll(() => logged(node), { timeout: 20_000 }).toEqual([1, 1]);
  }
  const before = await counted(accepting, 'accepted');
  expect(await ask(accepting)).toBe('200 exact');
  expect(await counted(accepting, 'accepted')).toBe(before);
});
