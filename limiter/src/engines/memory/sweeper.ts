import type { Clock } from '../../core/clock.ts';
import type { Stock } from './desk.ts';

const everyMs = 1000;
const cellsPerTurn = 20_000;
const booksPerTurn = 2000;

/** One timer for everything, which keeps no process alive; a turn takes a few milliseconds. */
export function startSweeper({ cells, books, seeds }: Stock, clock: Clock): () => void {
  const timer = setInterval(() => {
    const nowUs = clock();
    cells.sweep(cellsPerTurn, nowUs);
    books.sweep(booksPerTurn, nowUs);
    seeds.sweep(nowUs);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
