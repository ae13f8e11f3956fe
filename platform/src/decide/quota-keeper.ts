import { Deadline } from 'sluice';
import {
  Decision,
  type BoundLimit,
  type PeriodBounds,
  type QuotaSeed,
  type Reading,
  type TenantRef,
} from 'sluice/core';
import {
  type QuotaEvents,
  type QuotaNotice,
  type QuotaThreshold,
  quotaThresholds,
} from '../control/quotas/quota-events.ts';
import type { QuotaUsage, SavedUsage, SeenUsage } from '../control/quotas/quota-usage.ts';
import { branchOf } from '../snapshot/quota-limits.ts';
import { SingleFlight } from '../snapshot/single-flight.ts';

export type QuotaKeeperParts = {
  readonly engine: {
    /** The same for one counter on every node, and in every life of the store. */
    counterName(bound: BoundLimit): string;
    seed(tenant: TenantRef, seeds: readonly SavedUsage[]): Promise<void>;
  };
  readonly usage: Pick<QuotaUsage, 'save' | 'seedsOf'>;
  readonly events: Pick<QuotaEvents, 'raise'>;
  /** Brings along what the tenant used where it was counted before. */
  readonly carry: (tenantId: string) => Promise<void>;
  readonly countersMax?: number;
};

const countersMaxDefault = 100_000;
const noticesMax = 10_000;
const seedsAtOnce = 500;
/** A store that says nothing must not keep checks waiting: they have policies for that. */
const seedMsMax = 2000;
const flushing = 'flush';

/**
 * Remembers the highest use of every quota that an answer showed, and writes it where it survives
 * the store. What is lost with a node is what it saw since its last write.
 *
 * Bounded: at the bound it writes at once instead of when its turn comes. Newcomers for whom there is
 * no room even so are passed over, and their next check shows them again.
 */
export class QuotaKeeper {
  readonly #parts: QuotaKeeperParts;
  readonly #countersMax: number;
  readonly #flights = new SingleFlight<void>();
  readonly #restores = new SingleFlight<void>();
  readonly #deadline = new Deadline(seedMsMax);
  #seen = new Map<string, SeenUsage>();
  #notices: QuotaNotice[] = [];
  /** Up to which threshold a counter's period was told of. */
  #told = new Map<string, { readonly startUs: number; readonly threshold: number }>();
  #isFull = false;

  constructor(parts: QuotaKeeperParts) {
    this.#parts = parts;
    this.#countersMax = parts.countersMax ?? countersMaxDefault;
  }

  /** Of every check that was decided exactly. Most have no quota, and cost a look at their limits. */
  note(tenant: TenantRef, decision: Decision): void {
    const { question, answer, basis } = Decision.factsOf(decision);
    const { limits } = question;
    for (let at = 0; at < limits.length; at += 1) {
      const bound = limits[at] as BoundLimit;
      if (bound.limit.numbers.algorithm !== 'quota') continue;
      // What is shared by overflow is nobody's use, and what is said again was said before.
      if (basis !== 'exact' || answer.replayOf !== null) return;
      const reading = answer.readings[at];
      if (reading) this.#noteOne(tenant, bound, reading);
    }
  }

  /** The same of what was settled: the next check may be a long way off. */
  noteUsed(tenant: TenantRef, seeds: readonly QuotaSeed[]): void {
    const generation = tenant.generation ?? 0;
    for (const { counter, global = false, period, used } of seeds) {
      if (used === 0) continue;
      const seen = { tenantId: tenant.id, generation, counter, global, period, used };
      this.#keep(nameOf(seen), seen);
    }
  }

  #noteOne(tenant: TenantRef, bound: BoundLimit, reading: Reading): void {
    const { startUs, endUs, used } = reading.state as Period;
    const threshold = thresholdOf(bound, reading, used);
    if (used === 0 && threshold === null) return;
    const counter = this.#parts.engine.counterName(bound);
    const generation = tenant.generation ?? 0;
    const { global } = bound.limit;
    const period = { startUs, endUs };
    const seen = { tenantId: tenant.id, generation, counter, global, period, used };
    const name = nameOf(seen);
    if (used > 0) this.#keep(name, seen);
    if (threshold !== null) this.#tell(name, threshold, { tenant, bound, period, used });
  }

  #keep(name: string, seen: SeenUsage): void {
    const kept = this.#seen.get(name);
    if (kept ? isNews(seen, kept) : this.#hasRoom()) this.#seen.set(name, seen);
  }

  #hasRoom(): boolean {
    if (this.#seen.size < this.#countersMax) return true;
    // Once: while the database is away, trying again for every check would help nobody.
    if (!this.#isFull) {
      this.#isFull = true;
      void this.flush().catch(() => {});
    }
    return this.#seen.size < this.#countersMax;
  }

  #tell(
    name: string,
    reached: QuotaThreshold,
    {
      tenant,
      bound,
      period,
      used,
    }: {
      readonly tenant: TenantRef;
      readonly bound: BoundLimit;
      readonly period: PeriodBounds;
      readonly used: number;
    },
  ): void {
    const told = this.#told.get(name);
    if (told && told.startUs > period.startUs) return;
    const before = told?.startUs === period.startUs ? told.threshold : 0;
    if (before >= reached || this.#notices.length >= noticesMax) return;
    const branch = branchOf(bound, tenant.id);
    if (!branch) return;
    for (const threshold of quotaThresholds) {
      if (threshold <= before || threshold > reached) continue;
      const limit = bound.limit.size;
      this.#notices.push({ ...branch, tenantId: tenant.id, threshold, used, limit, period });
    }
    // Forgetting costs a statement that changes nothing: each is told once by the database's word.
    if (this.#told.size >= this.#countersMax) this.#told = new Map();
    this.#told.set(name, { startUs: period.startUs, threshold: reached });
  }

  /** Writes all that was noted before this was called. What can't be written is kept. */
  flush(): Promise<void> {
    return this.#flights.anew(flushing, () => this.#write());
  }

  async #write(): Promise<void> {
    const [seen, notices] = [this.#seen, this.#notices];
    this.#seen = new Map();
    this.#notices = [];
    this.#isFull = false;
    const [saved, raised] = await Promise.allSettled([
      seen.size === 0 ? null : this.#parts.usage.save([...seen.values()]),
      notices.length === 0 ? null : this.#parts.events.raise(notices),
    ]);
    if (saved.status === 'rejected') this.#keepAgain(seen);
    if (raised.status === 'rejected') this.#notices = [...notices, ...this.#notices];
    for (const result of [saved, raised]) if (result.status === 'rejected') throw result.reason;
  }

  #keepAgain(seen: ReadonlyMap<string, SeenUsage>): void {
    // Or every check from here to the next write would try to make room.
    this.#isFull = true;
    for (const [name, one] of seen) this.#keep(name, one);
  }

  /**
   * Raises the tenant's counters to what is known, before a store that lost them decides by them.
   * All who wait for one tenant wait for the same. What fails is thrown to each: a `StoreFailure`, after
   * which nothing may be confirmed, or what the database said.
   */
  restore(tenant: TenantRef): Promise<void> {
    const name = `${tenant.id} ${tenant.generation ?? 0}`;
    return this.#restores.join(name, () => this.#restore(tenant));
  }

  async #restore(tenant: TenantRef): Promise<void> {
    const { usage, engine, carry } = this.#parts;
    // What only this node knows counts too; where it can't be written, the reading fails as well.
    await this.flush().catch(() => {});
    await carry(tenant.id);
    const seeds = await usage.seedsOf(tenant.id, tenant.generation ?? 0);
    for (let from = 0; from < seeds.length; from += seedsAtOnce) {
      await this.#deadline.run(engine.seed(tenant, seeds.slice(from, from + seedsAtOnce)));
    }
  }
}

type Period = PeriodBounds & { readonly used: number };

function nameOf({ tenantId, generation, global, counter }: SeenUsage): string {
  return `${tenantId} ${generation} ${global ? 'g' : 't'} ${counter}`;
}

function isNews(seen: SeenUsage, kept: SeenUsage): boolean {
  const later = seen.period.startUs - kept.period.startUs;
  return later > 0 || (later === 0 && seen.used > kept.used);
}

/** The highest that was reached. Whoever is turned away for want of more is at the end of it. */
function thresholdOf(
  { limit }: BoundLimit,
  { verdict }: Reading,
  used: number,
): QuotaThreshold | null {
  if (verdict === 'exceeded') return 100;
  return quotaThresholds.findLast((threshold) => used >= (limit.size * threshold) / 100) ?? null;
}
