import type { BoundLimit, DecideCall, Question, Reading, TenantRef } from '../../core/engine.ts';
import { hasSlots } from './decode.ts';
import type { Keys } from './keys.ts';
import type { LimitTexts } from './limit-text.ts';

export type Allowances = {
  /**
   * New counters a tenant may make in an hour, those that live shorter counting by their share of
   * it; newcomers beyond share one counter for each limit.
   */
  readonly countersPerHour: number;
  /** Idempotency records a tenant may make in an hour, and charges it may keep, each for a day. */
  readonly recordsPerHour: number;
  /** Reservations a tenant may make in an hour; one beyond is a failed store. Default 250,000. */
  readonly reservationsPerHour?: number;
};

export type EncodeContext = {
  readonly keys: Keys;
  readonly texts: LimitTexts;
  readonly allowances: Allowances | null;
  /** The script packs its reply. */
  readonly packs: boolean;
};

/** A call as `decide.lua` reads it, and what must be linked for it. */
export type Encoded = {
  /** The bits of the algorithms and features that the call uses. */
  readonly uses: number;
  readonly keys: readonly string[];
  /** The list of numbers, and texts: all but the epoch. The very same list where two calls ask alike. */
  readonly args: readonly string[];
  /** What follows the numbers where there is one. */
  readonly epoch: string | null;
};

/** What is asked of one slot. */
export type SlotCall = {
  readonly tenant: TenantRef;
  readonly questions: readonly Part[];
  readonly snapshot?: DecideCall['snapshot'];
  /** The slot is that of global limits, on a cluster. */
  readonly global?: boolean;
  /** What has expired by then was swept; what expires while we ask counts on. Absent: none was. */
  readonly sweptUntilUs?: number;
};

/** What one slot is asked of a question: all of it, or on a cluster its part. */
export type Part = Question & { readonly elsewhere?: Elsewhere };

/** The part of a question that another slot is asked. */
export type Elsewhere = {
  /** `pending`: it is asked after this one, and has the last word. */
  readonly verdict: 'ok' | 'refused' | 'warned' | 'pending';
  readonly limits: readonly BoundLimit[];
  /** What was seen there, to be kept in this slot's record of the answer. */
  readonly readings: readonly Reading[];
  /** The same limits, or their overflow counters where those were charged. */
  readonly counted: readonly BoundLimit[];
};

export function epochText({ epoch }: NonNullable<SlotCall['snapshot']>): string {
  return `${epoch.tenant}.${epoch.shared}`;
}

/** Whether it is told from others of its form by its keys alone. */
export function isPlain(question: Part): boolean {
  const { idempotency, reserve, elsewhere, limits } = question;
  if (idempotency || reserve || elsewhere || isChargeKept(question)) return false;
  return !limits.some(hasSlots);
}

/** Whether both, being plain, have one form. */
export function asksAlike(a: Part, b: Part): boolean {
  if (a.peek !== b.peek || a.ledgerLabel !== b.ledgerLabel) return false;
  if (a.limits.length !== b.limits.length) return false;
  for (let at = 0; at < a.limits.length; at += 1) {
    const one = a.limits[at];
    const other = b.limits[at];
    if (one?.limit !== other?.limit || one?.cost !== other?.cost) return false;
  }
  return true;
}

/** Of the part that the tenant's slot is asked: it knows what became of the whole. */
export function isChargeKept({ refundable, reserve, peek }: Part): boolean {
  return refundable === true && reserve === undefined && !peek;
}
