import { writeLastUsed } from '../control/api-keys/last-used.ts';
import type { Publisher } from '../control/epochs/publisher.ts';
import { QuotaEvents } from '../control/quotas/quota-events.ts';
import { QuotaUsage } from '../control/quotas/quota-usage.ts';
import { Freshness } from '../control/usage/freshness.ts';
import { removeOldUsage } from '../control/usage/retention.ts';
import { LedgerSweep } from '../control/usage/sweep.ts';
import { Deliverer } from '../control/webhooks/deliverer.ts';
import { drainRound } from './drain-round.ts';
import type { Evidence } from './evidence.ts';
import type { Foundation } from './foundation.ts';
import type { HotPath } from './hot-path.ts';
import type { Moving } from './moves.ts';
import { Pace } from './pace.ts';
import { Repeater } from './repeat.ts';

export type Background = {
  /** Moves a tenant's ledger when somebody looks at it. */
  readonly freshness: Freshness;
  /** A shared change waits for its tenants to be told. */
  publishShared(): void;
  /** Tenants wait for what they used to be brought along. */
  carryMoved(): void;
  /** Writes what is still only here, and stops. */
  stop(): Promise<void>;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const stopMsMax = 5 * second;

/** What a node does besides answering. */
export function startBackground(
  { database, store, log, metrics, secrets }: Foundation,
  { feed, fleet, local, recorder, keeper }: HotPath,
  {
    publisher,
    evidence,
    webhookPrivate,
    moving: { drainer, moves },
  }: {
    readonly publisher: Publisher;
    readonly moving: Moving;
    readonly evidence: Evidence;
    readonly webhookPrivate: boolean;
  },
): Background {
  const deliverer = new Deliverer({
    db: database.db,
    secret: secrets.webhook,
    allowPrivate: webhookPrivate,
    onOutcome: (outcome) => metrics.webhookSent(outcome),
    onLost: (error) => log.logger.warn({ event: 'webhook.lost', err: error }),
  });
  const tidy = async () => {
    await new QuotaUsage(database.db).removeOld();
    await new QuotaEvents(database.db).removeOld();
    await deliverer.removeOld();
    await removeOldUsage(database.db);
    await evidence.removeOld();
  };
  const repeater = new Repeater((job, error) =>
    log.logger.warn({ event: 'job.failed', job, err: error }),
  );
  const pace = new Pace();
  const drain = () => drainRound({ recorder, drainer, pace });
  const sweep = new LedgerSweep({
    db: database.db,
    engine: store.engine,
    drain: (tenants) => drainer.drainAll(tenants),
    rest: (workedMs) => pace.rest(workedMs),
  });
  const noteUse = () => noteUsedKeys(database.db, recorder.takeUsedKeys(), pace);
  repeater.start({ name: 'feed', everyMs: second, run: () => feed.poll() });
  repeater.start({ name: 'nodes', everyMs: second, run: () => fleet.beat() });
  repeater.start({ name: 'debts', everyMs: second, run: () => local.flush() });
  repeater.start({ name: 'refusals', everyMs: second, run: () => recorder.flush() });
  repeater.start({ name: 'ledger', everyMs: 10 * second, run: drain });
  repeater.start({ name: 'ledgers left', everyMs: minute, run: () => sweep.run() });
  repeater.start({ name: 'last used', everyMs: minute, run: noteUse });
  repeater.start({ name: 'quota use', everyMs: 2 * second, run: () => keeper.flush() });
  repeater.start({ name: 'webhooks', everyMs: second, run: () => deliverer.deliver() });
  for (const job of evidence.jobs) repeater.start(job);
  repeater.start({ name: 'old rows', everyMs: hour, run: tidy });
  repeater.start({
    name: 'epochs',
    everyMs: second,
    run: async () => metrics.setEpochsUnpublished(await publisher.sweep()),
  });
  repeater.start({ name: 'ledgers behind', everyMs: 5 * second, run: () => moves.collect() });
  const carryMoved = repeater.start({
    name: 'moves',
    everyMs: second,
    run: () => moves.carryAll(),
  });
  const publishShared = repeater.start({
    name: 'publications',
    everyMs: second,
    run: async () => {
      while (await publisher.publishShared());
    },
  });
  const freshness = new Freshness({
    flush: () => recorder.flush(),
    drain: async (tenant) => {
      await moves.drainLeft(tenant.id);
      await drainer.drain(tenant);
    },
  });
  return {
    freshness,
    publishShared,
    carryMoved,
    stop: async () => {
      // What is left in Redis others find; what is only here must be written.
      pace.hurry(store.kind === 'redis' ? stopMsMax : Number.POSITIVE_INFINITY);
      await repeater.stop();
      await recorder.close();
      await Promise.allSettled([
        drain(),
        noteUse(),
        local.flush().then(() => local.close()),
        keeper.flush(),
        deliverer.settled(),
        evidence.writeAll(),
      ]);
    },
  };
}

const keysAtOnce = 1000;

async function noteUsedKeys(
  db: Foundation['database']['db'],
  ids: readonly string[],
  pace: Pace,
): Promise<void> {
  for (let from = 0; from < ids.length; from += keysAtOnce) {
    const startMs = performance.now();
    await writeLastUsed(db, ids.slice(from, from + keysAtOnce));
    if (pace.isOver) return;
    if (from + keysAtOnce < ids.length) await pace.rest(performance.now() - startMs);
  }
}
