import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { ClusterNode } from './redis-cluster.ts';

// A test that meets a dead server must fail in seconds and say why, not hang until its time is up.
const options = {
  connectTimeout: 5_000,
  commandTimeout: 20_000,
  maxRetriesPerRequest: 3,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, 500),
} satisfies RedisOptions;

// Answers in the classic shape: the typing of another one depends on a literal we do not have here.
type Settings = Omit<RedisOptions, 'replyMapping'>;

/** Settings of the test at hand win over ours. */
export function openRedis(url: string, settings: Settings = {}): Redis {
  return ignoreErrorEvents(new Redis(url, { ...options, ...settings }));
}

export function openCluster(nodes: readonly ClusterNode[], settings: Settings = {}): Cluster {
  const redisOptions = { ...options, ...settings };
  return ignoreErrorEvents(new Cluster([...nodes], { redisOptions, slotsRefreshTimeout: 5_000 }));
}

/** The commands report the same errors; without a listener ioredis prints each of them as well. */
function ignoreErrorEvents<Client extends Redis | Cluster>(client: Client): Client {
  client.on('error', () => {});
  return client;
}
