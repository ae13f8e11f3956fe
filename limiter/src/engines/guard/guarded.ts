import type {
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
  Tell,
  TenantRef,
} from '../../core/engine.ts';
import { CapacityFull, StoreFailure, storeFailureIn } from '../../core/errors.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import { Company } from './company.ts';
import { Deadline, timeout } from './deadline.ts';
import { Gate } from './gate.ts';
import { Orphans } from './orphans.ts';
import { Visit } from './visit.ts';

export type GuardOptions = {
  /** How long a decision is waited for. */
  readonly deadlineMs: number;
  /** The same for all else, which nobody is held up by; default 1000, and no less than for a decision. */
  readonly patienceMs?: number;
  /** Calls under way at once: to one shard, and of one tenant to it. */
  readonly inFlightMax?: number;
  readonly tenantInFlightMax?: number;
  /** What fails by itself; one shard unless given. */
  readonly shardOf?: (tenant: TenantRef) => string;
  readonly onBreaker?: (state: BreakerState, shard: string) => void;
};

type Shard = { readonly breaker: Breaker; readonly gate: Gate };

const patienceMsDefault = 1000;
const inFlightMaxDefault = 512;

/**
 * An engine that can't hold anybody up. Each call ends in time; a store that does not answer is left
 * alone for a while; no more calls than it can take are under way, of one tenant or of all. What a
 * call without an answer may have taken is given back.
 */
export class Guarded implements Engine {
  readonly #engine: Engine;
  readonly #options: GuardOptions;
  readonly #deadline: Deadline;
  readonly #patience: Deadline;
  readonly #orphans: Orphans;
  readonly #shards = new Map<string, Shard>();
  /** Mostly there is only one. */
  #lastShard: { readonly name: string; readonly shard: Shard } | null = null;

  constructor(engine: Engine, options: GuardOptions) {
    this.#engine = engine;
    this.#options = options;
    const { deadlineMs, patienceMs = Math.max(patienceMsDefault, deadlineMs) } = options;
    this.#deadline = new Deadline(deadlineMs);
    this.#patience = new Deadline(patienceMs);
    this.#orphans = new Orphans(engine);
  }

  /** Calls that are under way, late ones included. */
  get inFlight(): number {
    let inFlight = 0;
    for (const { gate } of this.#shards.values()) inFlight += gate.inFlight;
    return inFlight;
  }

  decide(call: DecideCall): Promise<DecideResult> {
    return this.#guard(call.tenant, () => this.#engine.decide(call), {
      deadline: this.#deadline,
      onLost: (work) => this.#orphans.adopt(call, work),
    });
  }

  /** As `decide` of each. Those who need not wait at the gate go, and are waited for, together. */
  async decideAll(calls: readonly DecideCall[], tell: Tell): Promise<void> {
    const shard = this.#shardOfAll(calls);
    const company = new Company(tell);
    const told: Promise<void>[] = [];
    for (let at = 0; at < calls.length; at += 1) {
      const call = calls[at] as DecideCall;
      const standing = shard?.gate.enter(call.tenant);
      if (standing) company.add(at, call, standing);
      else {
        const alone = this.decide(call).catch(storeFailureIn);
        told.push(alone.then((result) => tell(at, result)));
      }
    }
    if (shard && company.calls.length > 0) {
      const together = this.#decideTogether(shard, company);
      if (told.length === 0) return together;
      told.push(together);
    }
    await Promise.all(told);
  }

  async #decideTogether({ breaker, gate }: Shard, company: Company): Promise<void> {
    const work = this.#asked(company);
    company.onFailure = (call, { reason }) => {
      // Of a time-out all hear at once: it is one.
      if (reason !== timeout) breaker.failed('call', { isTimeout: false });
      this.#orphans.adopt(call, work);
    };
    const leave = () => {
      for (const standing of company.standings) gate.leave(standing);
    };
    work.then(leave, leave);
    try {
      await this.#deadline.run(work);
      if (company.answered > 0) breaker.succeeded('call', company.answered);
      if (!company.isAllTold) company.tellRest(new StoreFailure('no answer'));
    } catch (error) {
      const failure = storeFailureIn(error);
      if (failure.reason === timeout) breaker.failed('call', { isTimeout: true });
      company.tellRest(failure);
    }
  }

  async #asked({ calls, tell }: Company): Promise<void> {
    await this.#engine.decideAll?.(calls, tell);
  }

  settle(tenant: TenantRef, settlement: Settlement): Promise<SettleResult> {
    return this.#patient(tenant, () => this.#engine.settle(tenant, settlement));
  }

  refund(tenant: TenantRef, refund: RefundCall): Promise<boolean> {
    return this.#patient(tenant, () => this.#engine.refund(tenant, refund));
  }

  refundCharge(tenant: TenantRef, refund: ChargeRefund): Promise<RefundResult> {
    return this.#patient(tenant, () => this.#engine.refundCharge(tenant, refund));
  }

  debit(tenant: TenantRef, debit: DebitCall): Promise<boolean> {
    return this.#patient(tenant, () => this.#engine.debit(tenant, debit));
  }

  release(tenant: TenantRef, ticket: string): Promise<ReleaseResult> {
    return this.#patient(tenant, () => this.#engine.release(tenant, ticket));
  }

  heartbeat(tenant: TenantRef, beat: Heartbeat): Promise<HeartbeatResult> {
    return this.#patient(tenant, () => this.#engine.heartbeat(tenant, beat));
  }

  abandon(tenant: TenantRef, question: Question): Promise<void> {
    return this.#patient(tenant, () => this.#engine.abandon(tenant, question));
  }

  inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection> {
    return this.#patient(tenant, () => this.#engine.inspect(tenant, limits));
  }

  reset(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<void> {
    return this.#patient(tenant, () => this.#engine.reset(tenant, limits));
  }

  unblock(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<number> {
    return this.#patient(tenant, () => this.#engine.unblock(tenant, limits));
  }

  counterName(bound: BoundLimit): string {
    return this.#engine.counterName(bound);
  }

  seed(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void> {
    return this.#patient(tenant, () => this.#engine.seed(tenant, seeds));
  }

  publishEpoch(tenant: TenantRef, epoch: Epoch): Promise<void> {
    return this.#patient(tenant, () => this.#engine.publishEpoch(tenant, epoch));
  }

  record(tenant: TenantRef, record: LedgerRecord): Promise<void> {
    return this.#patient(tenant, () => this.#engine.record(tenant, record));
  }

  takeLedger(tenant: TenantRef, batch: number): Promise<LedgerTaken> {
    return this.#patient(tenant, () => this.#engine.takeLedger(tenant, batch));
  }

  dropLedger(tenant: TenantRef, batch: number): Promise<void> {
    return this.#patient(tenant, () => this.#engine.dropLedger(tenant, batch));
  }

  hasLedger(tenant: TenantRef, batch: number): Promise<boolean> {
    return this.#patient(tenant, () => this.#engine.hasLedger(tenant, batch));
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Null where each goes its own way, or none goes at all. */
  #shardOfAll(calls: readonly DecideCall[]): Shard | null {
    const [first] = calls;
    if (!first || !this.#engine.decideAll) return null;
    const shard = this.#shardOf(first.tenant);
    if (shard.breaker.state !== 'closed') return null;
    for (const { tenant } of calls) if (this.#shardOf(tenant) !== shard) return null;
    return shard;
  }

  #patient<T>(tenant: TenantRef, ask: () => Promise<T>): Promise<T> {
    return this.#guard(tenant, ask, { deadline: this.#patience });
  }

  #guard<T>(tenant: TenantRef, ask: () => Promise<T>, { deadline, onLost }: Care<T>): Promise<T> {
    const { breaker, gate } = this.#shardOf(tenant);
    const pass = breaker.admit();
    if (pass === null) return Promise.reject(new StoreFailure('circuit_open'));
    const startedMs = performance.now();
    const visit = new Visit(gate, tenant, ask);
    // A probe is one, and must not wait behind calls that may never end.
    const work = pass === 'probe' ? visit.pass() : visit.enter();
    return deadline.run(work, {
      onFailure: (error) => {
        if (visit.cancel()) return answersNow(breaker, startedMs) ? new CapacityFull() : error;
        if (!(error instanceof StoreFailure)) breaker.succeeded(pass);
        else if (!(error instanceof CapacityFull)) {
          breaker.failed(pass, { isTimeout: error.reason === timeout });
          onLost?.(work);
        }
        return error;
      },
      onSuccess: () => breaker.succeeded(pass),
    });
  }

  #shardOf(tenant: TenantRef): Shard {
    const name = this.#options.shardOf?.(tenant) ?? '';
    if (this.#lastShard?.name === name) return this.#lastShard.shard;
    const shard = this.#shardNamed(name);
    this.#lastShard = { name, shard };
    return shard;
  }

  #shardNamed(name: string): Shard {
    const { onBreaker, inFlightMax = inFlightMaxDefault } = this.#options;
    let shard = this.#shards.get(name);
    if (!shard) {
      const perTenantMax = this.#options.tenantInFlightMax ?? inFlightMax;
      shard = {
        breaker: new Breaker({ onChange: (state) => onBreaker?.(state, name) }),
        gate: new Gate({ max: inFlightMax, perTenantMax }),
      };
      this.#shards.set(name, shard);
    }
    return shard;
  }
}

/**
 * Of a call that waited and was not sent: where others are answered to the end of its wait, the store
 * is well and full. One that fell silent while it waited is not.
 */
function answersNow({ answeredAtMs }: Breaker, waitingSinceMs: number): boolean {
  return answeredAtMs >= (waitingSinceMs + performance.now()) / 2;
}

type Care<T> = {
  readonly deadline: Deadline;
  /** The store may have done it, and nobody will hear of it. */
  readonly onLost?: (work: Promise<T>) => void;
};
