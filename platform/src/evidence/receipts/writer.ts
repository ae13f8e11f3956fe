import { isUnavailable } from '../../database/index.ts';
import type { SubjectHash } from '../../observe/index.ts';
import type { ReceiptCollector } from './collector.ts';
import type { KeptCheck } from './kept-check.ts';
import { receiptRowOf } from './receipt.ts';
import type { Receipts } from './receipts.ts';

/** Few enough that making them holds nobody up: others have their turn between batches. */
const receiptsAtOnce = 100;

export type ReceiptWriterParts = {
  readonly collector: ReceiptCollector;
  readonly receipts: Pick<Receipts, 'write'>;
  readonly subjectHash: SubjectHash;
  readonly onDropped: (count: number) => void;
  /** Hears of what the database will not have, by its code. */
  readonly onRefused: (code: string) => void;
};

/** Makes receipts of what was collected, and writes them. */
export class ReceiptWriter {
  readonly #parts: ReceiptWriterParts;

  constructor(parts: ReceiptWriterParts) {
    this.#parts = parts;
  }

  /** All that is due; at the end, all there is. */
  async write({ all }: { readonly all: boolean }): Promise<void> {
    const { collector } = this.#parts;
    for (;;) {
      const batch = collector.take(receiptsAtOnce, { all });
      if (batch.length === 0) return;
      await this.#writeBatch(batch);
    }
  }

  async #writeBatch(batch: readonly KeptCheck[]): Promise<void> {
    const { collector, receipts, subjectHash, onDropped, onRefused } = this.#parts;
    try {
      await receipts.write(batch.map((one) => receiptRowOf(one, subjectHash)));
      collector.done(batch);
    } catch (error) {
      if (isUnavailable(error)) {
        collector.giveBack(batch);
        throw error;
      }
      // It would be refused again. What the database says of it may quote it, and is not passed on.
      collector.done(batch);
      onDropped(batch.reduce((sum, { repeats }) => sum + 1 + repeats, 0));
      onRefused(codeOf(error));
    }
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
