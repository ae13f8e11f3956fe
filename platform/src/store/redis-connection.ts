import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisAddress, type Tls } from '../redis-url.ts';
import { writeTogether } from './write-together.ts';
import { type ReconnectPace, reconnectPaceOf } from './reconnect-pace.ts';
import { endWhenSilent, loadingMs } from './silence.ts';
import { SlotMap } from './slot-map.ts';

// Answers in the classic shape: the typing of another one depends on a literal we do not have here.
type Options = Omit<RedisOptions, 'replyMapping'>;

/** A connection to one Redis, or to all servers of a Redis Cluster. */
export type Connection = Redis | Cluster;

const connectTimeoutMs = 1000;
const sentinelAnswerMs = 500;
const slotsAnswerMs = 500;
const slotsEveryMs = 10_000;
const goodbyeMs = 250;
const startMsMax = 5000;
const redirectionsMax = 4;
/** So that a redirected command is through, or failed, before its caller has an answer. */
const tryAgainMs = 5;

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
  disconnectTimeout: goodbyeMs,
  maxLoadingRetryTime: loadingMs,
  connectionName: 'sluice',
  // What names the client library: one permission less.
  disableClientInfo: true,
} as const satisfies Options;

/** `deadlineMs`: how long a call of the caller's waits for its answer. */
export function openConnection(url: string, deadlineMs = 0): Connection {
  const address = parseRedisUrl(url);
  const pace = reconnectPaceOf(url);
  if (address.kind === 'cluster') return openCluster(address, pace, deadlineMs);
  const redis = new PacedRedis(pace, {
    ...cautious,
    ...accessOf(address),
    ...placeOf(address),
    db: address.db,
    retryStrategy: () => pace.nextMs(),
    reconnectOnError: (error) => (isMisplaced(error) ? 1 : false),
    sentinelRetryStrategy: () => pace.nextMs(),
  });
  endWhenSilent(redis, deadlineMs);
  writeTogether(redis);
  return redis;
}

/** Once it is closed, nobody brings it back. */
class PacedRedis extends Redis {
  readonly #pace: ReconnectPace;

  constructor(pace: ReconnectPace, options: Options) {
    super(options);
    this.#pace = pace;
    pace.add(this);
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) this.#pace.forget(this);
    super.disconnect(reconnect);
  }
}

/** Which servers a cluster has besides those that are named, it tells itself. */
function openCluster(
  address: Extract<RedisAddress, { kind: 'cluster' }>,
  pace: ReconnectPace,
  deadlineMs: number,
): Cluster {
  const slotMap = new SlotMap();
  const { lazyConnect, enableOfflineQueue, ...redisOptions } = cautious;
  const cluster = new Cluster([...address.servers], {
    lazyConnect,
    enableOfflineQueue,
    clusterRetryStrategy: () => pace.nextMs(),
    clusterNodeRetryStrategy: () => pace.nextMs(),
    maxRedirections: redirectionsMax,
    slotsRefreshInterval: slotsEveryMs,
    slotsRefreshTimeout: slotsAnswerMs,
    // Those would send a command again whose answer was lost, and charge twice.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // This one was refused by a server that has half of its keys, so it did nothing.
    retryDelayOnTryAgain: tryAgainMs,
    redisOptions: {
      ...redisOptions,
      ...accessOf(address),
      reconnectOnError: (error) => {
        if (!isMisplaced(error)) return false;
        slotMap.ask();
        return isClusterDown(error) ? false : 1;
      },
    },
  });
  cluster.on('+node', (server: Redis) => {
    pace.add(server);
    endWhenSilent(server, deadlineMs);
    writeTogether(server);
  });
  cluster.on('-node', (server: Redis) => pace.forget(server));
  slotMap.follow(cluster);
  return cluster;
}

function placeOf(address: Exclude<RedisAddress, { kind: 'cluster' }>): Options {
  if (address.kind === 'single') return address.server;
  const { sentinels, masterName, sentinelUsername, sentinelPassword, tls } = address;
  return {
    sentinels: [...sentinels],
    name: masterName,
    ...(sentinelUsername !== null && { sentinelUsername }),
    ...(sentinelPassword !== null && { sentinelPassword }),
    ...(tls && { sentinelTLS: tlsOf(tls), enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: sentinelAnswerMs,
  };
}

function accessOf({ username, password, tls }: RedisAddress): Options {
  return {
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(tls && { tls: tlsOf(tls) }),
  };
}

function tlsOf({ caPath, servername }: Tls): ConnectionOptions {
  return {
    ...(caPath !== null && { ca: readAuthorities(caPath) }),
    ...(servername !== null && { servername }),
  };
}

function readAuthorities(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new Error(
      `the address of Redis has ca=${path}, and that file can't be read: give the path of a PEM file that this process may read`,
    );
  }
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
  if (connection.status === 'ready') {
    await Promise.race([Promise.all(serversOf(connection).map(untilReady)), late]);
  }
  clearTimeout(timer);
  return connection.status === 'ready';
}

async function untilReady(server: Redis): Promise<void> {
  if (server.status === 'ready') return;
  await new Promise<void>((resolve) => server.once('ready', () => resolve()));
}

/** Whoever the address names now is better: this one was demoted, cut off, or is not there yet. */
function isMisplaced({ message }: Error): boolean {
  return /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\b/.test(message);
}

/** Said by a server that is well, of others: another connection to it would hear the same. */
function isClusterDown({ message }: Error): boolean {
  return message.startsWith('CLUSTERDOWN');
}

export function serversOf(connection: Connection): readonly Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

/** When a server was lost: what is told afterwards may be older than what was told before. */
export function onServerLost(connection: Connection, listener: () => void): void {
  connection.on('close', listener);
  connection.on('server lost', listener);
}

/** When there is a server that was not there before. */
export function onServerBack(connection: Connection, listener: () => void): void {
  connection.on('ready', listener);
  connection.on('server back', listener);
}

/**
 * When a server was lost, and when one is there again after that: what it says then may be older than
 * what was said before.
 */
export function onServerDoubted(connection: Connection, listener: () => void): void {
  let wasLost = false;
  onServerLost(connection, () => {
    wasLost = true;
    listener();
  });
  onServerBack(connection, () => {
    if (wasLost) listener();
  });
}
