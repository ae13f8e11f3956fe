import type { Config } from '../config.ts';
import { ReceiptCollector, Receipts, ReceiptWriter, type Eraser } from '../evidence/index.ts';
import { subjectHashUnder, type CheckSink } from '../observe/index.ts';
import type { Foundation } from './foundation.ts';

/** What is kept of checks for people. */
export type Evidence = {
  /** Who is told of checks for it: nobody where it is off. */
  readonly watchers: readonly CheckSink[];
  readonly receipts: Receipts;
  readonly erasers: readonly Eraser[];
  /** What was seen and is due; at the end, all of it. */
  write(how: { readonly all: boolean }): Promise<void>;
  removeOld(): Promise<void>;
};

export function openEvidence(
  { database, log, metrics, secrets }: Foundation,
  {
    evidence: isOn,
    receiptSample,
    subjectDays,
  }: Pick<Config, 'evidence' | 'receiptSample' | 'subjectDays'>,
): Evidence {
  const subjectHash = subjectHashUnder(secrets.subject);
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
  return {
    watchers: isOn ? [collector] : [],
    receipts,
    erasers: [
      {
        name: 'receipts',
        erase: async (tenantId, subject) => {
          const waiting = collector.forget(tenantId, subject);
          return waiting + (await receipts.erase(tenantId, subjectHash(tenantId, subject)));
        },
      },
    ],
    write: (how) => writer.write(how),
    removeOld: async () => {
      await receipts.removeOld(subjectDays);
    },
  };
}
