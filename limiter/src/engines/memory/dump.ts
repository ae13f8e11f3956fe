import { algorithmOf, type Opaque } from '../../core/algorithms/index.ts';
import type { PenaltyState } from '../../core/algorithms/penalty.ts';
import type { BoundLimit, Epoch, LedgerCount, TenantRef } from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import type { AnswerRecord, Books, Reservation, Ticket } from './books.ts';
import type { Cells } from './cells.ts';
import { addHold, holdsOf, type Hold } from './holds.ts';

/** Plain data: survives JSON and the structured clone. */
export type MemoryDump = {
  readonly version: 2;
  readonly cells: readonly CellDump[];
  readonly books: readonly (readonly [string, BooksDump])[];
};

type CellDump = {
  readonly tenant: TenantRef;
  readonly counterId: string;
  readonly parts: readonly (string | null)[];
  /** A state of few numbers, padded with null; any other. */
  readonly numbers: readonly (number | null)[];
  readonly state: Opaque | null;
  readonly penalty: PenaltyState | null;
  readonly holds: readonly [string, Hold][];
  readonly expiresAtUs: number;
};

type Dumped<T> = readonly [string, { value: T; expiresAtUs: number }][];

type BooksDump = {
  readonly epoch: Epoch | null;
  readonly records: Dumped<AnswerRecord>;
  readonly reservations: Dumped<Reservation>;
  readonly refunds: Dumped<true>;
  readonly tickets: Dumped<Ticket>;
  readonly ledger: readonly [string, LedgerCount][];
  readonly batches: readonly [string, readonly LedgerCount[]][];
};

export function dump(cells: Cells, books: Books): MemoryDump {
  const dumped = {
    version: 2,
    cells: [...cells.all()].map(([cell, { tenant, counterId, parts }]) => {
      const extras = cells.extrasOf(cell);
      return {
        tenant: tenant.tenant,
        counterId,
        parts,
        numbers: [...cells.numbersOf(cell)],
        state: extras?.state ?? null,
        penalty: extras?.penalty ?? null,
        holds: [...(extras?.holds?.open ?? [])],
        expiresAtUs: cells.expiresAtUs(cell),
      };
    }),
    books: [...books.all()].map(([key, kept]) => [
      key,
      {
        epoch: kept.epoch,
        records: kept.records.dump(),
        reservations: kept.reservations.dump(),
        refunds: kept.refunds.dump(),
        tickets: kept.tickets.dump(),
        ledger: [...kept.ledger],
        batches: [...kept.batches],
      },
    ]),
  };
  // The algorithms' functions stay behind here, and nothing is shared with the running engine.
  return JSON.parse(JSON.stringify(dumped)) as MemoryDump;
}

export function restore(from: MemoryDump, cells: Cells, books: Books): void {
  if (from.version !== 2) throw new InvalidInput('dump.version', 'is of another release');
  for (const dumped of structuredClone(from.cells)) {
    const { counterId, parts, numbers, state, penalty } = dumped;
    const cell = cells.put({ tenant: cells.of(dumped.tenant), counterId, parts });
    cells.numbersOf(cell).set(numbers.map((number) => number ?? Number.NaN));
    if (state) cells.needExtras(cell).state = state;
    if (penalty) cells.needExtras(cell).penalty = penalty;
    cells.keepUntil(cell, dumped.expiresAtUs);
    for (const [id, hold] of dumped.holds) addHold(holdsOf({ cells }, cell), id, hold);
  }
  for (const [key, dumped] of structuredClone(from.books)) {
    const kept = books.at(key);
    kept.epoch = dumped.epoch;
    kept.records.restore(dumped.records);
    kept.refunds.restore(dumped.refunds);
    kept.reservations.restore(dumped.reservations.map(withAlgorithms));
    kept.tickets.restore(dumped.tickets.map(withAlgorithms));
    for (const [field, entry] of dumped.ledger) kept.ledger.set(field, entry);
    for (const [batchId, batch] of dumped.batches) kept.batches.set(batchId, batch);
  }
}

type Entry<T> = [string, { value: T; expiresAtUs: number }];

function withAlgorithms<T extends Reservation | Ticket>([id, entry]: Entry<T>): Entry<T> {
  const { value } = entry;
  const bounds = 'holds' in value ? value.holds.map(({ bound }) => bound) : value.slots;
  for (const bound of bounds) giveAlgorithm(bound);
  return [id, entry];
}

function giveAlgorithm(bound: BoundLimit): void {
  const limit = bound.limit as { -readonly [K in keyof Limit]: Limit[K] };
  limit.algorithm = algorithmOf(limit.numbers.algorithm);
}
