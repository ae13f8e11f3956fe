import type { Config } from '../config.ts';
import {
  Live,
  LiveCollector,
  ReceiptCollector,
  Receipts,
  ReceiptWriter,
  type Eraser,
} from '../evidence/index.ts';
import { subjectHashUnder, type CheckSink, type SubjectHash } from '../observe/index.ts';
import type { Feed } from '../snapshot/index.ts';
import type { Foundation } from './foundation.ts';
import type { Job } from './repeat.ts';
import { watchRollout } from './rollout-watch.ts';

/** What is kept of checks for people. */
export type Evidence = {
  /** Who is told of checks for it: nobody where it is off. */
  readonly watchers: readonly CheckSink[];
  readonly live: Live;
  readonly receipts: Receipts;
  readonly erasers: readonly Eraser[];
  /** Write what was seen and is due. */
  readonly jobs: readonly Job[];
  /** At the end: all of it. */
  writeAll(): Promise<void>;
  removeOld(): Promise<void>;
};

const second = 1000;

type EvidenceOptions = Pick<Config, 'evidence' | 'receiptSample' | 'subjectDays'> & {
  readonly feed: Pick<Feed, 'isHeard'>;
};

export function openEvidence(foundation: Foundation, options: EvidenceOptions): Evidence {
  const { evidence: isOn, subjectDays } = options;
  const subjectHash = subjectHashUnder(foundation.secrets.subject);
  const seen = new LiveCollector(subjectHash);
  const live = openLive(foundation, seen, options);
  const { collector, writer, receipts, eraser } = openReceipts(foundation, subjectHash, options);
  const rollout = watchRollout(foundation, options);
  if (isOn) live.start();
  return {
    watchers: isOn ? [collector, rollout.collector, seen] : [],
    live,
    receipts,
    erasers: [eraser, rollout.eraser],
    jobs: [
      { name: 'receipts', everyMs: second, run: () => writer.write({ all: false }) },
      { name: 'rollout', everyMs: 2 * second, run: () => rollout.flush() },
    ],
    writeAll: async () => {
      await Promise.allSettled([writer.write({ all: true }), rollout.flush()]);
    },
    removeOld: async () => {
      await receipts.removeOld(subjectDays);
      await rollout.removeOld();
    },
  };
}

function openLive(
  { store }: Foundation,
  collector: LiveCollector,
  { feed }: EvidenceOptions,
): Live {
  return new Live({
    collector,
    board: store.board,
    stores: () => ({
      database: feed.isHeard ? 'up' : 'down',
      store: store.isThere() ? 'up' : 'down',
    }),
  });
}

function openReceipts(
  { database, log, metrics }: Foundation,
  subjectHash: SubjectHash,
  { receiptSample }: EvidenceOptions,
) {
  const onDropped = (count: number) => metrics.receiptsDropped(count);
  const receipts = new Receipts(database.db);
  const collector = new ReceiptCollector({ sample: receiptSample, onDropped });
  const writer = new ReceiptWriter({
    collector,
    receipts,
    subjectHash,
    onDropped,
    onRefused: (code) => log.logger.warn({ event: 'receipts.refused', code }),
  });
  const eraser: Eraser = {
    name: 'receipts',
    erase: async (tenantId, subject) => {
      const waiting = collector.forget(tenantId, subject);
      return waiting + (await receipts.erase(tenantId, subjectHash(tenantId, subject)));
    },
  };
  return { receipts, collector, writer, eraser };
}
