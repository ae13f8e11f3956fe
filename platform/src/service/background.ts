import { writeLastUsed } from '../control/api-keys/last-used.ts';
import type { Publisher } from '../control/epochs/publisher.ts';
import { QuotaEvents } from '../control/quotas/quota-events.ts';
import { QuotaUsage } from '../control/quotas/quota-usage.ts';
import { Drainer } from '../control/usage/drainer.ts';
import { Deliverer } from '../control/webhooks/deliverer.ts';
import type { Foundation } from './foundation.ts';
import type { HotPath } from './hot-path.ts';
import { Repeater } from './repeat.ts';
import type { RolloutWatch } from './rollout-watch.ts';

export type Background = {
  /** A shared change waits for its tenants to be told. */
  publishShared(): void;
  /** Writes what is still only here, and stops. */
  stop(): Promise<void>;
};

const second = 1000;
const hour = 3600 * second;

/** What a node does besides answering. */
export function startBackground(
  { database, store, log, metrics, secrets }: Foundation,
  { feed, recorder, keeper }: HotPath,
  {
    publisher,
    webhookPrivate,
    rollout,
  }: {
    readonly publisher: Publisher;
    readonly webhookPrivate: boolean;
    readonly rollout: RolloutWatch;
  },
): Background {
  const drainer = new Drainer(database.db, store.engine);
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
    await rollout.removeOld();
  };
  const repeater = new Repeater((job, error) =>
    log.logger.warn({ event: 'job.failed', job, err: error }),
  );
  const drain = async () => {
    await recorder.flush();
    for (const tenant of recorder.takeActive()) await drainer.drain(tenant);
  };
  const noteUse = () => writeLastUsed(database.db, recorder.takeUsedKeys());
  repeater.start({ name: 'feed', everyMs: second, run: () => feed.poll() });
  repeater.start({ name: 'refusals', everyMs: second, run: () => recorder.flush() });
  repeater.start({ name: 'ledger', everyMs: 10 * second, run: drain });
  repeater.start({ name: 'last used', everyMs: 60 * second, run: noteUse });
  repeater.start({ name: 'quota use', everyMs: 2 * second, run: () => keeper.flush() });
  repeater.start({ name: 'webhooks', everyMs: second, run: () => deliverer.deliver() });
  repeater.start({ name: 'rollout', everyMs: 2 * second, run: () => rollout.flush() });
  repeater.start({ name: 'old rows', everyMs: hour, run: tidy });
  repeater.start({
    name: 'epochs',
    everyMs: second,
    run: async () => metrics.setEpochsUnpublished(await publisher.sweep()),
  });
  const publishShared = repeater.start({
    name: 'publications',
    everyMs: second,
    run: async () => {
      while (await publisher.publishShared());
    },
  });
  return {
    publishShared,
    stop: async () => {
      await repeater.stop();
      await Promise.allSettled([
        drain(),
        noteUse(),
        keeper.flush(),
        deliverer.settled(),
        rollout.flush(),
      ]);
    },
  };
}
