import type { WindowState } from '../../core/algorithms/window.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import type {
  Answer,
  BoundLimit,
  DecideCall,
  DecideResult,
  Engine,
  Epoch,
  Heartbeat,
  Inspection,
  LedgerCount,
  Question,
  QuotaSeed,
  RefundCall,
  Settlement,
  SettleResult,
  TenantRef,
} from '../../core/engine.ts';
import { answer } from './answer.ts';
import { addToLedger, Books } from './books.ts';
import { Cells } from './cells.ts';
import { finish, store, weigh } from './decide.ts';
import { Desk } from './desk.ts';
import { dump, restore, type MemoryDump } from './dump.ts';
import { compareEpoch, highest } from './epoch.ts';
import { refund, release, renewReservation, renewTicket, settle } from './give-back.ts';
import { startSweeper } from './sweeper.ts';

export type MemoryEngineOptions = {
  readonly clock?: Clock;
  /** Live counters of all tenants together, and of one. At the bound newcomers share a counter. */
  readonly countersMax?: number;
  readonly countersPerTenantMax?: number;
  /** Live idempotency records, reservations, tickets and refunds of one tenant, each. */
  readonly recordsPerTenantMax?: number;
};

/** Decides in process: exact for this process, bounded, and gone with it unless dumped. */
export class MemoryEngine implements Engine {
  readonly #clock: Clock;
  readonly #cells: Cells;
  readonly #books: Books;
  readonly #stopSweeper: () => void;

  constructor(options: MemoryEngineOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#cells = new Cells({
      cellsMax: options.countersMax ?? 1_000_000,
      cellsPerTenantMax: options.countersPerTenantMax ?? 100_000,
    });
    this.#books = new Books(options.recordsPerTenantMax ?? 100_000);
    this.#stopSweeper = startSweeper(this.#cells, this.#books, this.#clock);
  }

  /** How many counters are live: what the bounds are about. */
  get counters(): number {
    return this.#cells.count;
  }

  /** The synchronous path: in process there is nothing to wait for. */
  decideNow({ tenant, questions, snapshot }: DecideCall): DecideResult {
    const desk = this.#desk(tenant);
    if (snapshot) {
      const problem = compareEpoch(desk.books(), snapshot, desk.nowUs);
      if (problem) return { kind: problem, nowUs: desk.nowUs };
    }
    return { kind: 'answered', answers: questions.map((question) => answer(desk, question)) };
  }

  /** One question without a snapshot, and without anything around it. */
  answerNow(tenant: TenantRef, question: Question): Answer {
    return answer(this.#desk(tenant), question);
  }

  #desk(tenant: TenantRef): Desk {
    return new Desk(this.#cells, this.#books, tenant, this.#clock());
  }

  async decide(call: DecideCall): Promise<DecideResult> {
    return this.decideNow(call);
  }

  async settle(tenant: TenantRef, settlement: Settlement): Promise<SettleResult> {
    return settle(this.#desk(tenant), settlement);
  }

  async refund(tenant: TenantRef, call: RefundCall): Promise<boolean> {
    return refund(this.#desk(tenant), call);
  }

  async release(tenant: TenantRef, ticket: string): Promise<boolean> {
    return release(this.#desk(tenant), ticket);
  }

  async heartbeat(tenant: TenantRef, beat: Heartbeat): Promise<boolean> {
    const desk = this.#desk(tenant);
    const { ttlMs } = beat;
    return 'ticket' in beat
      ? renewTicket(desk, { id: beat.ticket, ttlMs })
      : renewReservation(desk, { id: beat.reservationId, ttlMs });
  }

  async inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection> {
    const desk = this.#desk(tenant);
    const readings = limits.map((bound) => finish(desk, weigh(desk, bound, true)));
    return { nowUs: desk.nowUs, readings };
  }

  async reset(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<void> {
    const cells = this.#cells.of(tenant);
    for (const bound of limits) {
      const cell = this.#cells.find(cells, bound);
      if (cell !== undefined) this.#cells.remove(cell);
    }
  }

  async seed(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void> {
    const desk = this.#desk(tenant);
    for (const { bound, period, used } of seeds) {
      const { cell, state } = weigh(desk, bound, true);
      const known = state as WindowState;
      if (known.startUs !== period.startUs || known.used >= used) continue;
      store(desk, bound, cell ?? this.#cells.make(desk.tenant, bound), { ...known, used });
    }
  }

  async publishEpoch(tenant: TenantRef, epoch: Epoch): Promise<void> {
    const books = this.#books.of(tenant);
    books.epoch = highest(books.epoch, epoch);
  }

  async record(tenant: TenantRef, counts: readonly LedgerCount[]): Promise<void> {
    const books = this.#books.of(tenant);
    for (const entry of counts) addToLedger(books, entry);
  }

  async takeLedger(tenant: TenantRef, batchId: string): Promise<readonly LedgerCount[]> {
    const books = this.#books.of(tenant);
    let batch = books.batches.get(batchId);
    if (!batch) {
      batch = [...books.ledger.values()];
      books.ledger = new Map();
      if (batch.length > 0) books.batches.set(batchId, batch);
    }
    return batch;
  }

  async dropLedger(tenant: TenantRef, batchId: string): Promise<void> {
    this.#books.of(tenant).batches.delete(batchId);
  }

  /** Everything there is, as plain data: what a process hands to the one after it. */
  dump(): MemoryDump {
    return dump(this.#cells, this.#books);
  }

  /** Into an engine that has not decided anything yet. */
  restore(from: MemoryDump): void {
    restore(from, this.#cells, this.#books);
  }

  async close(): Promise<void> {
    this.#stopSweeper();
  }
}
