import { setTimeout as sleep } from 'node:timers/promises';
import { bound, limitOf } from '../../support/limits.ts';
import { keysOf, openStore } from '../../support/store.ts';
import { askEngine, Callers } from './asking.ts';
import type { CleanUp } from './campaign.ts';
import { startShiftedRedis } from './clock-shim.ts';
import { callsBeyond, type Bucket } from './envelope.ts';
import { metricOnce, startService } from './service.ts';

const tenant = { id: 'stepped' };

/** What a bucket that is always asked for more than it has lets in when its clock is stepped. */
export type SteppedClock = {
  /** Calls beyond the envelope, by the clock of those who ask. */
  readonly over: number;
  readonly failed: number;
  /** The longest time within which nobody was let in. */
  readonly longestWaitMs: number;
  readonly longestTtlMs: number;
  readonly admitted: number;
  /** How often a node said so that counts there; null where none does. */
  readonly alarms: number | null;
};

export async function stepClock(
  cleanUp: CleanUp,
  options: {
    readonly bucket: Bucket;
    readonly stepMs: number;
    readonly beforeMs: number;
    readonly afterMs: number;
    /** Whether a node counts there too, and is to tell of the step. */
    readonly isTold?: boolean;
  },
): Promise<SteppedClock | null> {
  const server = await startShiftedRedis();
  if (!server) return null;
  cleanUp(() => server.stop());
  const store = openStore({ url: server.url, allowances: null });
  cleanUp(() => store.close());
  const service = options.isTold ? await startService(cleanUp, { redisUrl: server.url }) : null;
  const limit = limitOf({ algorithm: 'token_bucket', ...options.bucket });
  const callers = new Callers();
  callers.start(4, async () => {
    const { allowed } = await askEngine(store.engine, tenant, [bound(limit)]);
    if (!allowed) await sleep(2);
    return allowed;
  });
  await sleep(options.beforeMs);
  await server.shiftClock(options.stepMs);
  await sleep(options.afterMs);
  const keys = await keysOf(store.redis, store.prefix);
  const ttlsMs = await Promise.all(keys.map((key) => store.redis.pttl(key)));
  await callers.stop();
  const { admissions, failed, latestMs } = callers;
  const atMs = admissions.map((one) => one.atMs).toSorted((a, b) => a - b);
  const waitsMs = atMs.map((ms, at) => ms - (atMs[at - 1] ?? ms));
  return {
    over: callsBeyond(admissions, options.bucket, { latestMs }),
    failed,
    longestWaitMs: Math.max(...waitsMs, performance.now() - (atMs.at(-1) ?? 0)),
    // Without an end is the longest of all.
    longestTtlMs: Math.max(...ttlsMs.map((ms) => (ms < 0 ? Infinity : ms))),
    admitted: admissions.length,
    alarms: service && (await metricOnce(service.client, 'rl_store_clock_steps_total', 1)),
  };
}
