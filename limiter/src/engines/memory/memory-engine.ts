import { blockedUntilUs } from '../../core/algorithms/penalty.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import type {
  Answer,
  BoundLimit,
  ChargeRefund,
  DebitCall,
  DecideCall,
  DecideResult,
  Engine,
  Epoch,
  Heartbeat,
  HeartbeatResult,
  Inspection,
  LedgerRecord,
  LedgerTaken,
  Question,
  QuotaSeed,
  RefundCall,
  RefundResult,
  ReleaseResult,
  Settlement,
  SettleResult,
  TenantRef,
} from '../../core/engine.ts';
import type { Limit } from '../../core/limit.ts';
import { CounterNames } from '../names/counter-names.ts';
import { KeyedHash } from '../names/keyed-hash.ts';
import { TicketMarks } from '../names/ticket-marks.ts';
import { answer } from './answer.ts';
import { beginRecord, Books, dropBatch, takeBatch } from './books.ts';
import { Cells } from './cells.ts';
import { finish, weigh } from './decide.ts';
import { Desk, type Stock } from './desk.ts';
import { dump, restore, type MemoryDump } from './dump.ts';
import { compareEpoch, raiseEpoch } from './epoch.ts';
import {
  abandon,
  debit,
  refund,
  refundCharge,
  release,
  renewReservation,
  renewTicket,
} from './give-back.ts';
import { lonePathOf, type LonePath } from './lone-path.ts';
import { Seeds } from './seeds.ts';
import { settle } from './settle.ts';
import { startSweeper } from './sweeper.ts';

export type MemoryEngineOptions = {
  readonly clock?: Clock;
  /** Live counters of all tenants together, and of one. At the bound newcomers share a counter. */
  readonly countersMax?: number;
  readonly countersPerTenantMax?: number;
  /** Live idempotency records, reservations, tickets, kept charges, refunds and seeds of a tenant, each. */
  readonly recordsPerTenantMax?: number;
  /** Counters are named under this: the same wherever their names are kept. */
  readonly secret?: string;
};

/** Decides in process: exact for this process, bounded, and gone with it unless dumped. */
export class MemoryEngine implements Engine {
  readonly #clock: Clock;
  readonly #names: CounterNames;
  readonly #stock: Stock;
  readonly #stopSweeper: () => void;

  constructor(options: MemoryEngineOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    const hash = new KeyedHash(options.secret ?? '');
    this.#names = new CounterNames(hash);
    const recordsMax = options.recordsPerTenantMax ?? 100_000;
    this.#stock = {
      cells: new Cells({
        cellsMax: options.countersMax ?? 1_000_000,
        cellsPerTenantMax: options.countersPerTenantMax ?? 100_000,
      }),
      books: new Books(recordsMax),
      seeds: new Seeds(this.#names, recordsMax),
      names: this.#names,
      marks: new TicketMarks(hash),
    };
    this.#stopSweeper = startSweeper(this.#stock, this.#clock);
  }

  /** How many counters are live: what the bounds are about. */
  get counters(): number {
    return this.#stock.cells.count;
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

  /** The short way of checks under this limit alone, where there is one. */
  lonePathOf(limit: Limit): LonePath | null {
    return lonePathOf(limit, this.#stock.cells, this.#clock);
  }

  #desk(tenant: TenantRef): Desk {
    return new Desk(this.#stock, tenant, this.#clock());
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

  async refundCharge(tenant: TenantRef, call: ChargeRefund): Promise<RefundResult> {
    return refundCharge(this.#desk(tenant), call);
  }

  async debit(tenant: TenantRef, call: DebitCall): Promise<boolean> {
    return debit(this.#desk(tenant), call);
  }

  async release(tenant: TenantRef, ticket: string): Promise<ReleaseResult> {
    return release(this.#desk(tenant), ticket);
  }

  async heartbeat(tenant: TenantRef, beat: Heartbeat): Promise<HeartbeatResult> {
    const desk = this.#desk(tenant);
    return 'ticket' in beat ? renewTicket(desk, beat) : renewReservation(desk, beat);
  }

  async abandon(tenant: TenantRef, question: Question): Promise<void> {
    abandon(this.#desk(tenant), question);
  }

  async inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection> {
    const desk = this.#desk(tenant);
    const readings = limits.map((bound) => finish(desk, weigh(desk, bound, true)));
    return { nowUs: desk.nowUs, readings };
  }

  async reset(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<void> {
    const { cells, seeds, tenant: asking, nowUs } = this.#desk(tenant);
    for (const bound of limits) {
      seeds.take(tenant, bound, nowUs);
      const cell = cells.find(asking, bound);
      if (cell !== undefined) cells.remove(cell);
    }
  }

  async unblock(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<number> {
    const { cells, tenant: asking, nowUs } = this.#desk(tenant);
    let ended = 0;
    for (const bound of limits) {
      const cell = cells.find(asking, bound);
      const extras = cell === undefined ? undefined : cells.extrasOf(cell);
      if (!extras?.penalty) continue;
      if (blockedUntilUs(extras.penalty, nowUs) > 0) ended += 1;
      extras.penalty = undefined;
    }
    return ended;
  }

  counterName(bound: BoundLimit): string {
    return this.#names.of(bound);
  }

  async seed(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void> {
    const nowUs = this.#clock();
    for (const seed of seeds) this.#stock.seeds.add(tenant, seed, nowUs);
  }

  async publishEpoch(tenant: TenantRef, epoch: Epoch): Promise<void> {
    raiseEpoch(this.#stock.books.of(tenant), epoch, this.#clock());
  }

  async record(tenant: TenantRef, { counts, ...written }: LedgerRecord): Promise<void> {
    if (counts.length === 0) return;
    const books = this.#stock.books.of(tenant);
    if (!beginRecord(books, written, this.#clock())) return;
    for (const entry of counts) books.ledger.add(entry);
  }

  async takeLedger(tenant: TenantRef, batch: number): Promise<LedgerTaken> {
    return takeBatch(this.#stock.books.of(tenant), batch, this.#clock());
  }

  async dropLedger(tenant: TenantRef, batch: number): Promise<void> {
    dropBatch(this.#stock.books.of(tenant), batch, this.#clock());
  }

  async hasLedger(tenant: TenantRef, batch: number): Promise<boolean> {
    const { ledger, batches } = this.#stock.books.of(tenant);
    return ledger.size > 0 || batches.has(batch);
  }

  /** Everything there is, as plain data: what a process hands to the one after it. */
  dump(): MemoryDump {
    return dump(this.#stock);
  }

  /** Into an engine that has not decided anything yet. */
  restore(from: MemoryDump): void {
    restore(from, this.#stock);
  }

  async close(): Promise<void> {
    this.#stopSweeper();
  }
}
