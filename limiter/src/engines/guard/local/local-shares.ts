import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../../core/clock.ts';
import type {
  BoundLimit,
  Decided,
  Engine,
  Question,
  Reading,
  TenantRef,
} from '../../../core/engine.ts';
import { joined } from '../../../core/limit.ts';
import { unanswered } from '../../../core/refused-unasked.ts';
import { view } from '../../../core/view.ts';
import type { LocalAnswer } from '../../../core/when-store-fails.ts';
import { MemoryEngine } from '../../memory/index.ts';
import { LastKnowns } from './last-known.ts';
import { nodeShare, partOf, type Fleet } from './node-share.ts';
import { Outage } from './outage.ts';

export type LocalSharesOptions = {
  /** Told what was let in without it, once it is back. */
  readonly engine: Pick<Engine, 'debit'>;
  /** Alone unless given. */
  readonly fleet?: () => Fleet;
  /** Hears of debts that could not be kept, for want of room. */
  readonly onLost?: (counters: number) => void;
  readonly clock?: Clock;
};

const knownMax = 50_000;
const countersMax = 100_000;
const countersPerTenantMax = 20_000;
const debtsPerCallMax = 200;
const reportsMax = 10_000;

type Report = { readonly tenant: TenantRef; readonly id: string; readonly limits: BoundLimit[] };

/**
 * Limits that fail `local`: while the store is away each node lets in its share by itself. A share
 * begins with what was left when the store last said so, for a full one would be a second allowance;
 * and what was let in is charged once the store is back, for the same reason.
 */
export class LocalShares {
  readonly #options: LocalSharesOptions;
  readonly #clock: Clock;
  readonly #memory: MemoryEngine;
  readonly #known = new LastKnowns(knownMax);
  /** By tenant; what is global is nobody's. */
  readonly #outages = new Map<string, Outage>();
  #counters = 0;
  #reports: Report[] = [];
  #reporting: Promise<void> | null = null;

  constructor(options: LocalSharesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#memory = new MemoryEngine({ clock: this.#clock, countersMax, countersPerTenantMax });
  }

  /** The store answered. */
  heard(tenant: TenantRef, { limits }: Pick<Question, 'limits'>, answer: Decided): void {
    for (let at = 0; at < limits.length; at += 1) {
      const bound = limits[at] as BoundLimit;
      if (bound.limit.onStoreFailure !== 'local') continue;
      const reading = answer.readings[at];
      if (reading) this.#learn(tenant, bound, reading, answer.nowUs);
    }
    if (this.#outages.size > 0) this.#returned(tenant);
  }

  /** It did not; null where no limit fails local. */
  answer(tenant: TenantRef, question: Question): LocalAnswer | null {
    const asked = question.limits.filter(({ limit }) => limit.onStoreFailure === 'local');
    if (asked.length === 0) return null;
    const fleet = this.#options.fleet?.() ?? alone;
    const shares: BoundLimit[] = [];
    for (const whole of asked) {
      const limit = nodeShare(whole.limit, fleet);
      if (limit) {
        const share = { ...whole, limit };
        this.#begin(tenant, share, whole, fleet);
        shares.push(share);
      } else if (whole.limit.enforced) {
        // A limit of which this node has no share lets nobody in here.
        return { limits: [whole], answer: unanswered };
      }
    }
    const { id, peek } = question;
    const answer = this.#memory.answerNow(tenant, { id, limits: shares, peek }) as Decided;
    if (answer.allowed && !peek) this.#owe(tenant, shares, answer);
    return { limits: shares, answer };
  }

  /** Tells the store what it does not know yet; what it does not hear is told again later. */
  flush(): Promise<void> {
    this.#reporting ??= this.#report().finally(() => {
      this.#reporting = null;
    });
    return this.#reporting;
  }

  close(): Promise<void> {
    return this.#memory.close();
  }

  #learn(tenant: TenantRef, bound: BoundLimit, reading: Reading, nowUs: number): void {
    const { remaining, resetAtUs } = view(bound, reading, nowUs);
    this.#known.set(counterOf(tenant, bound), { remaining, resetAtUs });
  }

  /** The first time in an outage: it goes on from where the store was, as far as is known. */
  #begin(tenant: TenantRef, share: BoundLimit, whole: BoundLimit, fleet: Fleet): void {
    const counter = counterOf(tenant, share);
    const outage = this.#outageOf(tenant, share);
    if (outage.has(counter)) return;
    if (this.#counters >= countersMax) {
      this.#options.onLost?.(1);
      return;
    }
    this.#counters += 1;
    outage.begin(counter, share, whole);
    const known = this.#known.get(counter);
    if (!known || known.resetAtUs <= this.#clock()) return;
    const gone = share.limit.size - partOf(known.remaining, fleet);
    if (gone <= 0) return;
    const before = { id: counter, limits: [{ ...share, cost: gone }], peek: false };
    this.#memory.answerNow(tenant, before);
  }

  #owe(tenant: TenantRef, shares: readonly BoundLimit[], answer: Decided): void {
    for (const [at, share] of shares.entries()) {
      const reading = answer.readings[at];
      if (reading?.verdict !== 'ok') continue;
      const { resetAtUs } = view(share, reading, answer.nowUs);
      const { algorithm } = share.limit.numbers;
      const isWindow = algorithm === 'fixed_window' || algorithm === 'quota';
      const counter = counterOf(tenant, share);
      this.#outageOf(tenant, share).owe(counter, share.cost, { resetAtUs, isWindow });
    }
  }

  #returned(tenant: TenantRef): void {
    const ended = [tenant.id, everybody].filter((id) => this.#outages.has(id));
    if (ended.length === 0) return;
    for (const id of ended) this.#end(tenant, id);
    void this.flush();
  }

  #end(tenant: TenantRef, id: string): void {
    const outage = this.#outages.get(id);
    if (!outage) return;
    this.#outages.delete(id);
    this.#counters -= outage.size;
    void this.#memory.reset(tenant, outage.shares);
    const debts = outage.debts(this.#clock());
    for (let from = 0; from < debts.length; from += debtsPerCallMax) {
      const limits = debts.slice(from, from + debtsPerCallMax);
      if (this.#reports.length >= reportsMax) this.#options.onLost?.(limits.length);
      else this.#reports.push({ tenant, id: randomUUID(), limits });
    }
  }

  async #report(): Promise<void> {
    const waiting = this.#reports;
    this.#reports = [];
    for (const report of waiting) {
      try {
        await this.#options.engine.debit(report.tenant, report);
      } catch {
        // Under the same id: should it have been heard, it counts once. Others may be heard elsewhere.
        this.#reports.push(report);
      }
    }
  }

  #outageOf(tenant: TenantRef, { limit }: BoundLimit): Outage {
    const id = limit.global ? everybody : tenant.id;
    let outage = this.#outages.get(id);
    if (!outage) this.#outages.set(id, (outage = new Outage()));
    return outage;
  }
}

const alone: Fleet = { nodes: 1, rank: 0 };
/** No tenant is called that. */
const everybody = '';

function counterOf({ id, generation = 0 }: TenantRef, { limit, parts }: BoundLimit): string {
  const whose = limit.global ? [] : [id, String(generation)];
  const values = parts.map((part) => (part === null ? '-' : `=${part}`));
  return joined([limit.counterId, ...whose, ...values]);
}
