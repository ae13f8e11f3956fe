import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** A connection to one Redis, or to all servers of a Redis Cluster. */
export type Connection = Redis | Cluster;

const connectTimeoutMs = 2000;
const retryMsMax = 2000;
const startMsMax = 5000;
const redirectionsMax = 4;

/** Full jitter: nodes that lost the same server must not come back all at once. */
function retryMs(times: number): number {
  return Math.random() * Math.min(retryMsMax, 50 * 2 ** Math.min(times, 10));
}

/**
 * A connection that never does anything behind our back: a command that could not be sent or was
 * not answered fails, and is not sent later, when it would charge a call that is long over.
 */
const cautious = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: connectTimeoutMs,
  connectionName: 'sluice',
  retryStrategy: retryMs,
  reconnectOnError: (error) => (isReadOnly(error) ? 1 : false),
} as const satisfies RedisOptions;

/** Several addresses are those of a cluster; which servers it has besides, it tells itself. */
export function openConnection(url: string): Connection {
  const urls = url.split(',').map((one) => one.trim());
  if (urls.length === 1) return new Redis(url, cautious);
  const { username, password, protocol } = new URL(urls[0] as string);
  const { retryStrategy: _, lazyConnect, enableOfflineQueue, ...redisOptions } = cautious;
  return new Cluster(urls, {
    lazyConnect,
    enableOfflineQueue,
    clusterRetryStrategy: retryMs,
    maxRedirections: redirectionsMax,
    slotsRefreshInterval: 10_000,
    slotsRefreshTimeout: connectTimeoutMs,
    // Those would send a command again whose answer was lost, and charge twice.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: {
      ...redisOptions,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}

/**
 * Whether it is ready, after a while at the most. A cluster's own promise stays open when its first
 * try fails and a later one succeeds.
 */
export async function connect(
  connection: Connection,
  onError: (error: Error) => void,
): Promise<boolean> {
  const ready = new Promise<void>((resolve) => connection.once('ready', () => resolve()));
  const failed = connection.connect().catch(onError);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, startMsMax);
  });
  await Promise.race([ready, failed, late]);
  clearTimeout(timer);
  return connection.status === 'ready';
}

/** A server that was demoted under a live connection: whoever the address names now is better. */
function isReadOnly(error: Error): boolean {
  return error.message.startsWith('READONLY');
}

export function serversOf(connection: Connection): readonly Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

/** When a server was lost: what is told afterwards may be older than what was told before. */
export function onServerLost(connection: Connection, listener: () => void): void {
  connection.on('close', listener);
  if (!(connection instanceof Cluster)) return;
  connection.on('node error', listener);
  connection.on('-node', listener);
}

/** Whoever names one server of a cluster would be refused by the others' keys, one check in three. */
export async function requireNoCluster(connection: Connection): Promise<void> {
  if (connection instanceof Cluster) return;
  const info = await connection.info('cluster');
  if (!/^cluster_enabled:1/m.test(info)) return;
  throw new Error(
    'this Redis is part of a cluster: give the addresses of at least two of its servers in SLUICE_REDIS_URL, with a comma between them',
  );
}
