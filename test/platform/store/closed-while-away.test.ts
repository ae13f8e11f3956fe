import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openConnection } from '../../../platform/src/store/redis-connection.ts';
import { openRedis } from '../../servers/connect.ts';
import { startRedis } from '../../servers/redis.ts';

/** Others follow the first that is back within this. */
const followMs = 300;

async function connected(url: string): Promise<Redis> {
  const connection = openConnection(url);
  if (!(connection instanceof Redis)) throw new Error('that is a cluster');
  connection.on('error', () => {});
  await connection.connect();
  return connection;
}

/** Not `once` of Node: that fails with the first try that does. */
function hears(redis: Redis, event: string): Promise<void> {
  return new Promise((resolve) => redis.once(event, () => resolve()));
}

async function countConnections(url: string): Promise<number> {
  const redis = openRedis(url);
  const clients = String(await redis.client('LIST'));
  redis.disconnect();
  return clients.match(/name=sluice\b/g)?.length ?? 0;
}

test('a connection that is closed while its server is away stays closed when the others come back', async () => {
  const before = await startRedis();
  const [kept, closed] = await Promise.all([connected(before.url), connected(before.url)]);
  // So that it is the other one that is back first, which it then is to follow.
  closed.options.retryStrategy = () => 60_000;
  const away = Promise.all([hears(kept, 'reconnecting'), hears(closed, 'reconnecting')]);
  await before.stop();
  await away;
  kept.once('ready', () => closed.disconnect());
  const back = hears(kept, 'ready');
  const after = await startRedis({ port: before.port });
  try {
    await back;
    await pause(2 * followMs);
    expect(await countConnections(after.url)).toBe(1);
  } finally {
    kept.disconnect();
    closed.disconnect();
    await after.stop();
  }
});
