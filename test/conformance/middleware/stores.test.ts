import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { concurrency, fixedWindow } from 'sluice';
import { createClient } from 'sluice/client';
import { openRedis } from '../../servers/connect.ts';
import { makeDataDir, startNode, type RunningNode } from '../../platform/rig/node.ts';
import { inEveryFramework, ok, statuses } from './rig.ts';

let redis: Redis;
let node: RunningNode;
let removeData = async () => {};

beforeAll(async () => {
  redis = openRedis(inject('redisUrl'), { autoResendUnfulfilledCommands: false });
  const { path, remove } = await makeDataDir();
  removeData = remove;
  node = await startNode({ SLUICE_DATA_DIR: path });
});
afterAll(async () => {
  redis.disconnect();
  await node.stop();
  await removeData();
});

const two = fixedWindow({ name: 'two', limit: 2, window: '1 h' });
const open = concurrency({ name: 'open', maxConcurrent: 5, staleAfter: '1 min' });

inEveryFramework('the same lines', ({ serve }) => {
  it('count in Redis, for all processes together', async () => {
    const limits = { redis, name: `test-${randomUUID()}`, limits: [two, open], deadlineMs: 5000 };
    const spec = { limits: () => limits, routes: { 'GET /a': ok } };
    const [here, there] = [await serve(spec), await serve(spec)];
    expect(await statuses(here, '/a')).toEqual([200]);
    const second = await there('/a');
    expect([second.status, second.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
    expect(await statuses(here, '/a')).toEqual([429]);
  });

  it('ask the service', async () => {
    const { key } = await node.client.makeTenant({
      limits: [
        { name: 'two', algorithm: 'fixed_window', limit: 2, window_seconds: 3600 },
        { name: 'open', algorithm: 'concurrency', max_concurrent: 5, stale_after_seconds: 60 },
      ],
    });
    const limiter = createClient({ url: node.url, apiKey: key, deadlineMs: 5000 });
    const ask = await serve({ limits: () => ({ limiter }), routes: { 'GET /a/:id': ok } });
    const first = await ask('/a/1');
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, '1']);
    expect(first.headers.get('ratelimit-policy')).toContain('"two";q=2');
    expect(await statuses(ask, '/a/2', '/a/3')).toEqual([200, 429]);
  });
});
