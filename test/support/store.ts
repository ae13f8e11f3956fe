import { randomUUID } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { inject } from 'vitest';
import {
  fromIoredis,
  RedisEngine,
  type RedisClient,
  type RedisEngineOptions,
} from '../../limiter/src/engines/redis/index.ts';
import { openCluster, openRedis } from '../servers/connect.ts';

/** A Redis engine as in production, on the server's own clock, alone with its keys. */
export type Store = {
  readonly engine: RedisEngine;
  readonly redis: Redis;
  /** What all its keys begin with. */
  readonly prefix: string;
  close(): void;
};

export type StoreOptions = Omit<RedisEngineOptions, 'prefix' | 'clock' | 'scripts'> & {
  /** A server of the test's own instead of the one that all share. */
  readonly url?: string;
  /** The client returns numbers as text. */
  readonly stringNumbers?: boolean;
  /** Between engine and client. */
  readonly wrap?: (client: RedisClient) => RedisClient;
};

export function openStore(settings: StoreOptions = {}): Store {
  const { url, wrap, stringNumbers = false, ...options } = settings;
  const redis = openRedis(url ?? inject('redisUrl'), { stringNumbers });
  const prefix = `test-${randomUUID()}`;
  const client = fromIoredis(redis);
  const engine = new RedisEngine(wrap ? wrap(client) : client, { ...options, prefix });
  return { engine, redis, prefix, close: () => redis.disconnect() };
}

export type ClusterStore = Omit<Store, 'redis'> & { readonly redis: Cluster };

export function openClusterStore(
  options: Omit<StoreOptions, 'url' | 'stringNumbers'> = {},
): ClusterStore {
  const { wrap, ...rest } = options;
  const redis = openCluster(inject('redisClusterNodes'));
  const prefix = `test-${randomUUID()}`;
  const client = fromIoredis(redis);
  const engine = new RedisEngine(wrap ? wrap(client) : client, { ...rest, prefix });
  return { engine, redis, prefix, close: () => redis.disconnect() };
}

export async function keysOf(redis: Redis, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1000);
    keys.push(...found);
    cursor = next;
  } while (cursor !== '0');
  return [...new Set(keys)];
}

/** Every key with its value, byte for byte. */
export async function dumpOf(redis: Redis, prefix: string): Promise<Map<string, string>> {
  const dump = new Map<string, string>();
  for (const key of await keysOf(redis, prefix)) {
    const value = await redis.dumpBuffer(key);
    if (value) dump.set(key, value.toString('hex'));
  }
  return dump;
}

/** A seeded generator (mulberry32): a failure can be run again with the seed it names. */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: () => number, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
