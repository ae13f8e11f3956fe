// How a generation is brought to its end, the same for one that ran its course, one whose client
// went away and one that a dead process left: the model's last word, then the charge, then a line.

import type { Journal, Owed } from './journal.ts';
import type { Book, ModelClient } from './model-client.ts';
import { untilDone } from './retry.ts';
import type { Sluice } from './sluice.ts';

export type Parts = {
  readonly sluice: Sluice;
  readonly model: ModelClient;
  readonly journal: Journal;
};

/**
 * May be killed after any of its steps and begun anew: stopping and settling take place once,
 * however often they are asked for.
 */
export async function settle(owed: Owed, { sluice, model, journal }: Parts): Promise<Book> {
  const { reservationId, requestId } = owed;
  const book = await untilDone(`stopping ${requestId}`, () => model.stop(reservationId));
  const tokens = book.prompt_tokens + book.completion_tokens;
  const settled = await untilDone(`settling ${requestId}`, () =>
    sluice.settle(reservationId, tokens),
  );
  await journal.settled(reservationId);
  console.log(`${requestId}: settled ${tokens} tokens${remarkOn(settled)}`);
  return book;
}

function remarkOn(settled: Awaited<ReturnType<Sluice['settle']>>): string {
  // Counters in memory died with their service, or this process was away for over a day.
  if (settled === null) return ', but the reservation is forgotten: nobody was charged';
  if (!settled.settled) return ', as was done before';
  if (settled.debt > 0) return `, ${settled.debt} more than there were`;
  return settled.late ? ', after the hold had run out' : '';
}

/** What a process before us began and did not live to settle. */
export async function settleWhatIsOwed(parts: Parts): Promise<void> {
  const { journal } = parts;
  if (journal.owed.length > 0) console.log(`left behind: ${journal.owed.length}`);
  await Promise.all(journal.owed.map((owed) => settle(owed, parts)));
  await journal.clear();
}
