import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { requireProgram } from '../../scripts/programs.mjs';
import { openRedis } from './connect.ts';
import { type RedisServer, startRedis } from './redis.ts';

const primaryCount = 3;
const nodeCount = 2 * primaryCount;
const pollMs = 50;
const settleTimeoutMs = 30_000;
const nodeTimeoutMsDefault = 5_000;
// While joining: a new primary waits this long before it serves, and gossip is as much quicker.
const joinTimeoutMs = 1_000;

export type RedisClusterOptions = {
  /** How long a silent node counts as alive: short for failover tests, long against false alarms. */
  readonly nodeTimeoutMs?: number;
};

export type ClusterNode = { readonly host: string; readonly port: number };

export type RedisCluster = {
  readonly nodes: readonly ClusterNode[];
  /** The processes, for tests that stop one of them; who is primary, only the cluster knows. */
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
};

/** Starts three primaries with a replica each, and waits until all six agree about that. */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', `${joinTimeoutMs}`];
  const servers = await Promise.all(
    Array.from({ length: nodeCount }, () => startRedis({ settings })),
  );
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    await joinServers(servers);
    const nodeTimeoutMs = options.nodeTimeoutMs ?? nodeTimeoutMsDefault;
    await Promise.all(servers.map((server) => settle(server, nodeTimeoutMs)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes: servers.map(({ port }) => ({ host: '127.0.0.1', port })), servers, stop };
}

async function joinServers(servers: readonly RedisServer[]): Promise<void> {
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  const args = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'];
  await promisify(execFile)(requireProgram('redis-cli'), args);
}

async function settle(server: RedisServer, nodeTimeoutMs: number): Promise<void> {
  const redis = openRedis(server.url);
  try {
    await waitUntilSettled(redis);
    await redis.config('SET', 'cluster-node-timeout', nodeTimeoutMs);
  } finally {
    redis.disconnect();
  }
}

async function waitUntilSettled(redis: Redis): Promise<void> {
  const deadlineMs = performance.now() + settleTimeoutMs;
  for (;;) {
    const [state, slots, replication] = await Promise.all([
      redis.cluster('INFO'),
      redis.cluster('SLOTS'),
      redis.info('replication'),
    ]);
    if (isSettled(state, slots, replication)) return;
    if (performance.now() > deadlineMs) {
      throw new Error(`The cluster did not settle:\n${state}\n${replication}`);
    }
    await sleep(pollMs);
  }
}

function isSettled(state: string, slots: unknown, replication: string): boolean {
  if (!state.includes('cluster_state:ok')) return false;
  // Each range lists its first and last slot, the primary and then its replicas.
  const ranges: unknown[] = Array.isArray(slots) ? slots : [];
  const isComplete =
    ranges.length === primaryCount &&
    ranges.every((range) => Array.isArray(range) && range.length === 4);
  const isLinked =
    replication.includes('role:master') || replication.includes('master_link_status:up');
  return isComplete && isLinked;
}
