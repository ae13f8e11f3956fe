import type { TenantRef } from 'sluice/core';
import { writeLastUsed } from '../control/api-keys/last-used.ts';
import type { Publisher } from '../control/epochs/publisher.ts';
import { QuotaEvents } from '../control/quotas/quota-events.ts';
import { QuotaUsage } from '../control/quotas/quota-usage.ts';
import { Freshness } from '../control/usage/freshness.ts';
import { removeOldUsage } from '../control/usage/retention.ts';
import { LedgerSweep } from '../control/usage/sweep.ts';
import { Deliverer } from '../control/webhooks/deliverer.ts';
import type { Evidence } from './evidence.ts';
import type { Foundation } from './foundation.ts';
import type { HotPath } from './hot-path.ts';
import type { Moving } from './moves.ts';
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

/** Each holds a connection of the pool for a moment. */
const drainsAtOnce = 3;

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
  const drain = () => drainActive(recorder, (tenant) => drainer.drain(tenant));
  const sweep = new LedgerSweep({
    db: database.db,
    engine: store.engine,
    drain: (tenant) => drainer.drain(tenant),
  });
  const noteUse = () => writeLastUsed(database.db, recorder.takeUsedKeys());
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

/** A tenant whose ledger can't be moved now keeps none waiting, and gets another turn. */
async function drainActive(
  recorder: HotPath['recorder'],
  drain: (tenant: TenantRef) => Promise<void>,
): Promise<void> {
  await recorder.flush();
  const waiting = recorder.takeActive();
  const failures: unknown[] = [];
  const work = async () => {
    for (let tenant = waiting.pop(); tenant; tenant = waiting.pop()) {
      try {
        await drain(tenant);
      } catch (error) {
        recorder.keepActive(tenant);
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: drainsAtOnce }, work));
  if (failures.length > 0) throw failures[0];
}
