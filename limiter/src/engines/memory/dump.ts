import { algorithmOf, type Opaque } from '../../core/algorithms/index.ts';
import type { PenaltyState } from '../../core/algorithms/penalty.ts';
import type { BoundLimit, Epoch, LedgerCount, TenantRef } from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import type { WindowState } from '../../core/algorithms/window.ts';
import type { AnswerRecord, Charge, Reservation, Ticket } from './books.ts';
import type { Stock } from './desk.ts';
import type { Entry } from './expiring-map.ts';
import { addHold, holdsOf, type Hold, type KeptCharge } from './holds.ts';

/** Plain data: survives JSON and the structured clone. */
export type MemoryDump = {
  readonly version: 7;
  readonly cells: readonly CellDump[];
  readonly books: readonly (readonly [string, BooksDump])[];
  /** By name: they are found again by an engine with the same secret only. */
  readonly seeds: readonly (readonly [string, Dumped<WindowState>])[];
};

type CellDump = {
  readonly tenant: TenantRef;
  readonly global: boolean;
  readonly counterId: string;
  readonly parts: readonly (string | null)[];
  /** A state of few numbers, padded with null; any other. */
  readonly numbers: readonly (number | null)[];
  readonly state: Opaque | null;
  readonly penalty: PenaltyState | null;
  readonly holds: readonly [string, Hold][];
  readonly inForce: Limit | null;
  readonly kept: KeptCharge | null;
  readonly expiresAtUs: number;
};

type Dumped<T> = readonly [string, { value: T; expiresAtUs: number }][];

type BooksDump = {
  readonly epoch: Entry<Epoch> | null;
  readonly records: Dumped<AnswerRecord>;
  readonly reservations: Dumped<Reservation>;
  readonly charges: Dumped<Charge>;
  readonly refunds: Dumped<true>;
  readonly tickets: Dumped<Ticket>;
  readonly ledger: readonly [string, LedgerCount][];
  readonly batches: readonly [number, Entry<readonly LedgerCount[]>][];
  readonly lastDropped: Entry<number> | null;
  readonly writers: Dumped<number>;
};

export function dump({ cells, books, seeds }: Stock): MemoryDump {
  const dumped = {
    version: 7,
    cells: [...cells.all()].map(([cell, { tenant, global, counterId, parts }]) => {
      const extras = cells.extrasOf(cell);
      return {
        tenant: tenant.tenant,
        global,
        counterId,
        parts,
        numbers: [...cells.numbersOf(cell)],
        state: extras?.state ?? null,
        penalty: extras?.penalty ?? null,
        holds: [...(extras?.holds?.open ?? [])],
        inForce: extras?.holds?.inForce ?? null,
        kept: extras?.holds?.kept ?? null,
        expiresAtUs: cells.expiresAtUs(cell),
      };
    }),
    books: [...books.all()].map(([key, kept]) => [
      key,
      {
        epoch: kept.epoch,
        records: kept.records.dump(),
        reservations: kept.reservations.dump(),
        charges: kept.charges.dump(),
        refunds: kept.refunds.dump(),
        tickets: kept.tickets.dump(),
        ledger: kept.ledger.entries(),
        batches: [...kept.batches],
        lastDropped: kept.lastDropped,
        writers: kept.writers.dump(),
      },
    ]),
    seeds: seeds.dump(),
  };
  // The algorithms' functions stay behind here, and nothing is shared with the running engine.
  return JSON.parse(JSON.stringify(dumped)) as MemoryDump;
}

export function restore(from: MemoryDump, { cells, books, seeds }: Stock): void {
  if (from.version !== 7) throw new InvalidInput('dump.version', 'is of another release');
  for (const dumped of structuredClone(from.cells)) {
    const { global, counterId, parts, numbers, state, penalty } = dumped;
    const cell = cells.put({ tenant: cells.of(dumped.tenant), global, counterId, parts });
    cells.numbersOf(cell).set(numbers.map((number) => number ?? Number.NaN));
    if (state) cells.needExtras(cell).state = state;
    if (penalty) cells.needExtras(cell).penalty = penalty;
    cells.keepUntil(cell, dumped.expiresAtUs);
    for (const [id, hold] of dumped.holds) addHold(holdsOf({ cells }, cell), id, hold);
    if (dumped.inForce) holdsOf({ cells }, cell).inForce = withAlgorithm(dumped.inForce);
    if (dumped.kept) {
      withAlgorithm(dumped.kept.limit);
      holdsOf({ cells }, cell).kept = dumped.kept;
    }
  }
  for (const [key, dumped] of structuredClone(from.books)) {
    const kept = books.at(key);
    kept.epoch = dumped.epoch;
    kept.records.restore(dumped.records);
    kept.charges.restore(dumped.charges.map(withAlgorithms));
    kept.refunds.restore(dumped.refunds);
    kept.reservations.restore(dumped.reservations.map(withAlgorithms));
    kept.tickets.restore(dumped.tickets.map(withAlgorithms));
    for (const [, entry] of dumped.ledger) kept.ledger.add(entry);
    for (const [number, batch] of dumped.batches) kept.batches.set(number, batch);
    kept.lastDropped = dumped.lastDropped;
    kept.writers.restore(dumped.writers);
  }
  for (const [key, waiting] of structuredClone(from.seeds)) seeds.restore(key, waiting);
}

type Kept<T> = [string, { value: T; expiresAtUs: number }];

function withAlgorithms<T extends Reservation | Charge | Ticket>([id, entry]: Kept<T>): Kept<T> {
  for (const { limit } of boundsIn(entry.value)) withAlgorithm(limit);
  return [id, entry];
}

function boundsIn(value: Reservation | Charge | Ticket): readonly BoundLimit[] {
  if ('holds' in value) return value.holds.map(({ bound }) => bound);
  return 'slots' in value ? value.slots : value.limits;
}

function withAlgorithm(limit: { -readonly [K in keyof Limit]: Limit[K] }): Limit {
  limit.algorithm = algorithmOf(limit.numbers.algorithm);
  return limit;
}
