import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { requireProgram } from '../../scripts/programs.mjs';
import { openRedis } from './connect.ts';
import { findFreePort } from './free-port.ts';
import { type RedisServer, startRedis } from './redis.ts';
import { startServerProcess } from './server-process.ts';
import { createTemporaryFolder, removeFolder } from './temporary-folder.ts';

const sentinelCount = 3;
const replicaCount = 2;
const quorum = 2;
const downAfterMs = 1000;
const pollMs = 50;
const settleTimeoutMs = 30_000;
const readyTimeoutMs = 20_000;

export const masterName = 'mymaster';

export type RedisSentinel = {
  /** As in `SLUICE_REDIS_URL`. */
  readonly url: string;
  /** Who begins as the primary, and who as a replica. */
  readonly primary: RedisServer;
  readonly replicas: readonly RedisServer[];
  readonly sentinelPorts: readonly number[];
  stop(): Promise<void>;
};

type Sentinel = { readonly port: number; stop(): Promise<void> };

/** Starts a primary, two replicas and three sentinels, and waits until all know of each other. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  const running: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  try {
    const primary = await startRedis();
    running.push(primary);
    const settings = ['--replicaof', '127.0.0.1', String(primary.port)];
    const replicas = await Promise.all(
      Array.from({ length: replicaCount }, () => startRedis({ settings })),
    );
    running.push(...replicas);
    const sentinels = await Promise.all(
      Array.from({ length: sentinelCount }, () => startSentinel(primary.port)),
    );
    running.push(...sentinels);
    const sentinelPorts = sentinels.map(({ port }) => port);
    await Promise.all(sentinelPorts.map(settle));
    const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    const url = `redis+sentinel://${hosts}/${masterName}`;
    return { url, primary, replicas, sentinelPorts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSentinel(primaryPort: number): Promise<Sentinel> {
  const port = await findFreePort();
  const folder = await createTemporaryFolder('sentinel');
  const configPath = join(folder, 'sentinel.conf');
  // A sentinel writes what it learns into this file.
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${masterName} 127.0.0.1 ${primaryPort} ${quorum}`,
    `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
    `sentinel failover-timeout ${masterName} 5000`,
    `sentinel parallel-syncs ${masterName} ${replicaCount}`,
  ];
  await writeFile(configPath, `${settings.join('\n')}\n`);
  const server = await startServerProcess({
    program: requireProgram('redis-server'),
    args: [configPath, '--sentinel'],
    folder,
    logPath: join(folder, 'sentinel.log'),
    readyPattern: /\+monitor master/,
    readyTimeoutMs,
    stopSignal: 'SIGKILL',
  });
  return {
    port,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

async function settle(port: number): Promise<void> {
  const redis = openRedis(`redis://127.0.0.1:${port}`);
  try {
    await waitUntilSettled(redis);
  } finally {
    redis.disconnect();
  }
}

async function waitUntilSettled(sentinel: Redis): Promise<void> {
  const deadlineMs = performance.now() + settleTimeoutMs;
  for (;;) {
    const [others, replicas] = await Promise.all([
      sentinel.call('SENTINEL', 'sentinels', masterName),
      sentinel.call('SENTINEL', 'replicas', masterName),
    ]);
    const isSettled = lengthOf(others) === sentinelCount - 1 && lengthOf(replicas) === replicaCount;
    if (isSettled) return;
    if (performance.now() > deadlineMs) throw new Error('The sentinels did not settle.');
    await sleep(pollMs);
  }
}

function lengthOf(reply: unknown): number {
  return Array.isArray(reply) ? reply.length : 0;
}
