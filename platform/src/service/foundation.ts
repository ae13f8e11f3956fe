import { join } from 'node:path';
import type { Config } from '../config.ts';
import { readSetups } from '../control/pools/setups.ts';
import { migrate, openDatabase, sharedSecret, type Database } from '../database/index.ts';
import {
  createLogger,
  Metrics,
  startTracing,
  type Log,
  type LogDestination,
  type Tracing,
} from '../observe/index.ts';
import { Seal } from '../snapshot/index.ts';
import {
  openMemoryStore,
  openPooledStore,
  type Finding,
  type PlacedStore,
} from '../store/index.ts';
import type { Opened } from './opened.ts';
import { tellOfAlarm } from './store-alarms.ts';

/** What everything else stands on. */
export type Foundation = {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly database: Database;
  readonly store: PlacedStore;
  readonly secrets: Secrets;
};

/** Made once, by whichever node came first, and the same on all. */
export type Secrets = {
  /** Under it ids of keys and tokens are marked as ours. */
  readonly mark: string;
  /** Under it names are hashed in Redis. */
  readonly store: string;
  /** Under it the cache in Redis is sealed. */
  readonly cache: string;
  /** Under it subjects are hashed in logs. */
  readonly subject: string;
  /** Under it the secrets of webhooks are derived. */
  readonly webhook: string;
  /** Under it the addresses of pools are sealed. */
  readonly pool: string;
};

export async function layFoundation(
  config: Config,
  { version, logTo }: { readonly version: string; readonly logTo?: LogDestination },
  opened: Opened,
): Promise<Foundation> {
  const metrics = new Metrics();
  const log = createLogger({
    level: config.logLevel,
    ...(logTo && { destination: logTo }),
    onDrop: (lines) => metrics.eventsDropped(lines),
  });
  opened.add(() => log.close());
  const { logger } = log;
  const tracing = await startTracing({
    endpoint: config.otlpEndpoint ?? undefined,
    headers: config.otlpHeaders ?? undefined,
    sampleRatio: config.traceRatio,
    serviceName: config.serviceName,
    version,
    onProblem: (problem) => logger.warn({ event: 'traces.lost', problem }),
  });
  opened.add(() => tracing.close());
  const database = await openDatabase({
    ...(config.databaseUrl === null
      ? { folder: join(config.dataDir, 'postgres') }
      : { url: config.databaseUrl, poolSize: config.databasePool }),
    onLost: (error) => logger.warn({ event: 'database.lost', err: error }),
    ...(tracing.enabled ? { onQuery: (event) => tracing.traceQuery(event) } : {}),
  });
  opened.add(() => database.close());
  await migrate(database);
  const secrets = {
    mark: await sharedSecret(database.db, 'key_id_secret'),
    store: await sharedSecret(database.db, 'store_secret'),
    cache: await sharedSecret(database.db, 'cache_secret'),
    subject: await sharedSecret(database.db, 'subject_secret'),
    webhook: await sharedSecret(database.db, 'webhook_secret'),
    pool: await sharedSecret(database.db, 'pool_secret'),
  };
  const store = await openStore(config, { log, metrics, tracing, database, secrets });
  opened.add(() => store.close());
  return { log, metrics, tracing, database, store, secrets };
}

async function openStore(
  { redisUrl, redisUnsafe, storeDeadlineMs }: Config,
  {
    log: { logger },
    metrics,
    tracing,
    database,
    secrets,
  }: Pick<Foundation, 'log' | 'metrics' | 'tracing' | 'database' | 'secrets'>,
): Promise<PlacedStore> {
  const { store: secret } = secrets;
  if (redisUrl === null) return openMemoryStore({ secret });
  const seal = new Seal(secrets.pool);
  const logFinding = (where: object, { code, text }: Finding) => {
    const level = code === 'redis_not_checked' ? 'info' : 'warn';
    logger[level]({ ...where, finding: code, problem: text });
  };
  return openPooledStore({
    url: redisUrl,
    secret,
    deadlineMs: storeDeadlineMs,
    readPools: () => readSetups(database.db, seal),
    onPool: (pool, isThere) => metrics.setPoolUp(pool, isThere),
    onPoolError: (pool, error) => logger.warn({ event: 'pool.lost', pool, err: error }),
    onError: (error) => logger.warn({ event: 'store.lost', err: error }),
    onBreaker: (state, shard) => {
      metrics.breakerChanged(state);
      logger.warn({ event: 'store.breaker', state, ...(shard !== '' && { shard }) });
    },
    onFinding: (finding) => logFinding({ event: 'store.finding' }, finding),
    onPoolFinding: (pool, finding) => logFinding({ event: 'pool.finding', pool }, finding),
    onAlarm: (alarm) => tellOfAlarm(alarm, { logger, metrics }),
    isUnsafeWanted: redisUnsafe,
    onCall: (script, outcome, durationUs) => metrics.storeCalled(script, outcome, durationUs),
    wrap: (client) => (tracing.enabled ? tracing.traceRedis(client) : client),
  });
}
