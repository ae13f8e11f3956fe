import { writeLastUsed } from '../control/api-keys/last-used.ts';
import type { Publisher } from '../control/epochs/publisher.ts';
import { Drainer } from '../control/usage/drainer.ts';
import type { Foundation } from './foundation.ts';
import type { HotPath } from './hot-path.ts';
import { Repeater } from './repeat.ts';

export type Background = {
  /** A shared change waits for its tenants to be told. */
  publishShared(): void;
  /** Writes what is still only here, and stops. */
  stop(): Promise<void>;
};

const second = 1000;

/** What a node does besides answering. */
export function startBackground(
  { database, store, log, metrics }: Foundation,
  { feed, recorder }: HotPath,
  publisher: Publisher,
): Background {
  const drainer = new Drainer(database.db, store.engine);
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
      await Promise.allSettled([drain(), noteUse()]);
    },
  };
}
