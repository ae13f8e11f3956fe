// What both applications are told, and what both say of themselves.

import { Redis } from 'ioredis';
import { fixedWindow, tokenBucket } from 'sluice';

const { PORT, LIMITER = 'none', LIMIT = '1', ALGORITHM = 'window', REDIS_URL } = process.env;
const profile = process.env['HEADERS'] === 'trio' ? 'trio' : 'default';

/** What all of them count in: the same as the peers do. */
export const settings = {
  port: Number(PORT),
  limiter: LIMITER,
  limit: Number(LIMIT),
  windowMs: 3_600_000,
};

/** More than ever call. */
export const subjectsMax = 20_000;

const window = fixedWindow({ name: 'hour', limit: settings.limit, window: settings.windowMs });
const bucket = tokenBucket({ name: 'hour', capacity: settings.limit, refillPerSecond: 0.01 });

/** Ours, but for who is counted and where. */
export const options = {
  limits: [ALGORITHM === 'bucket' ? bucket : window],
  headers: /** @type {const} */ (profile),
  // Above the default, for on a busy machine Redis alone may wait that long for a processor.
  ...(REDIS_URL && { deadlineMs: 1000 }),
};

export async function connect() {
  if (!REDIS_URL) return undefined;
  const redis = new Redis(REDIS_URL, { autoResendUnfulfilledCommands: false, lazyConnect: true });
  await redis.connect();
  return redis;
}

export function cpuMetric() {
  const { user, system } = process.cpuUsage();
  return `process_cpu_seconds_total ${(user + system) / 1_000_000}\n`;
}

process.once('SIGTERM', () => process.exit());
