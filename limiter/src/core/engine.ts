import type { PeriodBounds } from './calendar/index.ts';
import type { Opaque } from './algorithms/index.ts';
import type { Costs } from './costs.ts';
import type { StoreFailure } from './errors.ts';
import type { TenantNotes } from './known-tenant.ts';
import type { Limit } from './limit.ts';

/**
 * The port between a question and whatever decides it. Every engine answers all limits of a
 * question in one atomic step: either every enforced one admits and all are charged, or none is.
 * A refusal is an answer; a store that cannot answer throws `StoreFailure`.
 */
export type Engine = {
  decide(call: DecideCall): Promise<DecideResult>;
  /** Calls of several tenants in one go, each decided by itself. Of engines that gain by it. */
  readonly decideAll?: DecideAll | undefined;
  /** The real cost of a reservation, once. */
  settle(tenant: TenantRef, settlement: Settlement): Promise<SettleResult>;
  /** Gives back part of a charge, once per id. False when that was done before. */
  refund(tenant: TenantRef, refund: RefundCall): Promise<boolean>;
  /** The same for a question that was asked to be `refundable`, of which only the id is known. */
  refundCharge(tenant: TenantRef, refund: ChargeRefund): Promise<RefundResult>;
  /**
   * Charges what was let in elsewhere, whether or not it fits, once per id: more than there is
   * becomes debt. False when that was done before.
   */
  debit(tenant: TenantRef, debit: DebitCall): Promise<boolean>;
  /** Gives the ticket's slots back. */
  release(tenant: TenantRef, ticket: string): Promise<ReleaseResult>;
  /** Holds a ticket's slots or a reservation for another while. */
  heartbeat(tenant: TenantRef, beat: Heartbeat): Promise<HeartbeatResult>;
  /**
   * Gives back the slots and holds of a question whose answer nobody heard: they would be taken
   * until they run out. What was charged stays so.
   */
  abandon(tenant: TenantRef, question: Question): Promise<void>;
  /** What the limits' counters say now, without touching them. */
  inspect(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<Inspection>;
  /** Forgets the limits' counters and penalties: as if nobody had ever called. */
  reset(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<void>;
  /**
   * Ends the limits' penalties, and forgets how long they were; their counters stay as they are.
   * Returns how many were in force.
   */
  unblock(tenant: TenantRef, limits: readonly BoundLimit[]): Promise<number>;
  /**
   * What the limit's counter is called in a seed: the same in every process with the same secret,
   * and nobody learns from it whom it counts.
   */
  counterName(bound: BoundLimit): string;
  /** Raises quotas to what is known to be used, before a lost epoch is confirmed. */
  seed(tenant: TenantRef, seeds: readonly QuotaSeed[]): Promise<void>;
  /** Makes every older snapshot of the tenant stale. */
  publishEpoch(tenant: TenantRef, epoch: Epoch): Promise<void>;
  /**
   * Counts in the ledger what was decided elsewhere, such as refusals gathered by a node. Each
   * record of a writer counts once, however often it is sent.
   */
  record(tenant: TenantRef, record: LedgerRecord): Promise<void>;
  /**
   * Sets the ledger so far aside as the batch of this number and returns it; the same one again
   * until it is dropped. Who asks for a number says that all before it are done with.
   */
  takeLedger(tenant: TenantRef, batch: number): Promise<LedgerTaken>;
  /** The batch is done with. Its number is never used again, whoever asks for it late. */
  dropLedger(tenant: TenantRef, batch: number): Promise<void>;
  /** Whether there is anything that could be taken as this batch. */
  hasLedger(tenant: TenantRef, batch: number): Promise<boolean>;
  close(): Promise<void>;
};

/** A tenant; raising the generation abandons all its counters at once, but for global ones. */
export type TenantRef = {
  readonly id: string;
  readonly generation?: number;
  /** Which of several stores counts it, and by whose connections. For who picks one: no engine looks. */
  readonly place?: string | undefined;
  readonly pool?: string | undefined;
  /** Of who asks again and again with this very object: then nothing is looked up by the id. */
  readonly notes?: TenantNotes | undefined;
};

/** The version of a tenant's configuration and of what it shares with others. */
export type Epoch = { readonly tenant: number; readonly shared: number };

/** The snapshot that limits were resolved from: decided only while nothing newer is published. */
export type SnapshotRef = {
  readonly epoch: Epoch;
  /** When the snapshot itself runs out, for an override starts or ends. */
  readonly validUntilUs?: number | undefined;
  /** The epoch was just confirmed with the source of truth: seed it instead of asking again. */
  readonly confirmed?: boolean;
};

export type DecideCall = {
  readonly tenant: TenantRef;
  readonly questions: readonly Question[];
  readonly snapshot?: SnapshotRef;
};

export type Question = {
  /** Made by the asking node, so that a call without an answer can still be undone. */
  readonly id: string;
  readonly limits: readonly BoundLimit[];
  /** Nothing is charged; refused only in penalty or debt. */
  readonly peek: boolean;
  readonly ledgerLabel?: string | undefined;
  readonly idempotency?: Idempotency | undefined;
  readonly reserve?: Reserve | undefined;
  /** What is charged is kept for a refund by id; a reservation is settled instead. */
  readonly refundable?: boolean | undefined;
};

/**
 * A limit with whom it counts here and what this call costs on it. A global limit's counter is the
 * same for every tenant that asks, and takes no part in reservations: it is charged at once.
 */
export type BoundLimit = {
  readonly limit: Limit;
  /** The value of each part in `limit.per` but the tenant; null stands for an absent attribute. */
  readonly parts: readonly (string | null)[];
  readonly cost: number;
};

/**
 * What is known to be used of a quota's period, should the store have lost it. Counts for the
 * running period only, never lowers, and leaves another period alone that has not ended.
 */
export type QuotaSeed = {
  /** As `counterName` said. */
  readonly counter: string;
  /** Whether the limit is. */
  readonly global?: boolean;
  readonly period: PeriodBounds;
  readonly used: number;
};

export type Idempotency = {
  /** Tells the subject's keys from those of others. */
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly ttlMs: number;
};

export type Reserve = { readonly ttlMs: number; readonly onExpiry: 'refund' | 'keep' };

export type DecideResult =
  | { readonly kind: 'answered'; readonly answers: readonly Answer[] }
  /** The snapshot is older than what is published (or ran out): reload and resolve again. */
  | { readonly kind: 'stale'; readonly nowUs: number }
  /** The store knows no epoch: confirm it with the source of truth and ask again. */
  | { readonly kind: 'unknown'; readonly nowUs: number };

/** Tells what became of the call at this place; what fails for one is that one's alone. */
export type Tell = (at: number, result: DecideResult | StoreFailure) => void;

/** Ends when all were told of. Who is told late keeps nobody waiting but itself. */
export type DecideAll = (calls: readonly DecideCall[], tell: Tell) => Promise<void>;

export type Answer = Decided | { readonly kind: 'conflict' };

export type Decided = {
  readonly kind: 'decided';
  readonly allowed: boolean;
  readonly nowUs: number;
  /** One for each limit of the question, in order; none when a replay's limits have changed. */
  readonly readings: readonly Reading[];
  /** The id of the question that was charged, when this is its answer again. */
  readonly replayOf: string | null;
  readonly ticket: string | null;
  readonly reservation: { readonly id: string; readonly expiresAtUs: number } | null;
  /** Why this is not the plain exact answer: counters shared by overflow, or a record not kept. */
  readonly degraded: 'overflow' | 'idempotency_full' | null;
};

export const verdicts = ['ok', 'exceeded', 'impossible', 'penalty'] as const;
export type Verdict = (typeof verdicts)[number];

/** What the engine saw of one limit, after the decision. */
export type Reading = {
  readonly verdict: Verdict;
  readonly state: Opaque;
  /** Held by open reservations, and until when at the latest. */
  readonly held: number;
  readonly heldUntilUs: number;
  /** 0 when there is no penalty. */
  readonly blockedUntilUs: number;
};

export type Settlement = {
  readonly reservationId: string;
  /** By unit; a unit that is not named settles at what was reserved. */
  readonly costs: Costs;
};

/** `repeated`: it was settled before, and this is what was done then. */
export type SettleResult = Settled | { readonly kind: 'unknown' };

export type Settled = {
  readonly kind: 'settled' | 'repeated';
  readonly late: boolean;
  /** How much more is used than there is, of the limit in the deepest debt, as of now. */
  readonly debt: number;
  /** What it was settled at, by unit. */
  readonly costs: Costs;
  /** What is now used of the quotas among its limits. */
  readonly quotas: readonly QuotaSeed[];
};

export type RefundCall = {
  /** The id of the answer that was charged. */
  readonly id: string;
  readonly chargedAtUs: number;
  /** The limits as they were charged, `cost` being what to give back. */
  readonly limits: readonly BoundLimit[];
  /** How long it is remembered that this was done; by default while it could be done again. */
  readonly rememberMs?: number;
};

export type ChargeRefund = {
  /** The id of the question that was charged. */
  readonly id: string;
  /** By unit; null for all that was charged. */
  readonly costs: Costs | null;
};

export type DebitCall = {
  /** Made by who debits: the same again when nobody heard the answer. */
  readonly id: string;
  /** `cost` being what to charge. */
  readonly limits: readonly BoundLimit[];
  /** As for a refund: short, where nobody would send it again. */
  readonly rememberMs?: number;
};

/** What was given back, by unit: never more than was charged. */
export type RefundResult =
  | { readonly kind: 'refunded'; readonly costs: Costs }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'unknown' };

/** `gone`: it was released before, or ran out. `unknown`: nobody was given it here. */
export type ReleaseResult = 'released' | 'gone' | 'unknown';

/** Without a time: for as long as the limit lets a silent ticket live, or as was reserved. */
export type Heartbeat =
  | { readonly ticket: string; readonly ttlMs?: number | undefined }
  | { readonly reservationId: string; readonly ttlMs?: number | undefined };

export type HeartbeatResult =
  | { readonly kind: 'held'; readonly untilUs: number }
  | { readonly kind: 'gone' | 'unknown' };

export type Inspection = { readonly nowUs: number; readonly readings: readonly Reading[] };

export const ledgerOutcomes = ['allowed', 'warned', 'blocked', 'degraded', 'would_block'] as const;
export type LedgerOutcome = (typeof ledgerOutcomes)[number];

export type LedgerCount = {
  readonly minute: number;
  readonly outcome: LedgerOutcome;
  readonly label: string;
  readonly count: number;
};

/** A writer numbers its records upwards, and begins the next when the one before is written. */
export type LedgerRecord = {
  readonly writer: string;
  readonly number: number;
  readonly counts: readonly LedgerCount[];
};

export type LedgerTaken =
  | { readonly kind: 'taken'; readonly counts: readonly LedgerCount[] }
  /** That batch was dropped before, as all were up to this one. */
  | { readonly kind: 'dropped'; readonly last: number };

export const limitsPerQuestionMax = 64;
