import { decisionToWire, type WireBlockedBy, type WireLimitDecision } from 'sluice/contract';
import { Decision, type Basis, type Epoch, type Limit, type Mode } from 'sluice/core';
import { redactText, type Outcome, type SubjectHash } from '../../observe/index.ts';
import type { KeptCheck } from './kept-check.ts';
import { refusersOf, waitMsOf, wouldBlockersOf } from './refusers.ts';
import { whatHappened, whatToDo } from './words.ts';

/** What became of a check and why, for who is asked about it later. */
export type Receipt = {
  readonly decision_id: string;
  readonly at: string;
  /** For people, to be passed on as they are. */
  readonly what_happened: string;
  readonly what_to_do: string;
  readonly tenant: { readonly id: string; readonly name: string };
  readonly subject: string;
  readonly subject_hash: string;
  readonly resource: string;
  readonly route: string;
  readonly request_id: string | null;
  readonly outcome: Outcome;
  readonly allowed: boolean;
  readonly mode: Mode | null;
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly basis: Basis;
  readonly degraded_reason: string | null;
  readonly message: string;
  readonly blocked_by: WireBlockedBy | null;
  readonly would_block: readonly string[];
  readonly retry_after_ms: number | null;
  /** When the same call fits if nobody else calls; null where nobody knows, or it never does. */
  readonly clears_at: string | null;
  readonly plan_id: string | null;
  /** The pattern of the most specific one. */
  readonly policy: string | null;
  /** Of the configuration that decided. */
  readonly epoch: Epoch;
  readonly limits: readonly ReceiptLimit[];
  /** How many more like this came in the same second, and when the last of them did. */
  readonly repeats: number;
  readonly last_at: string;
};

export type ReceiptLimit = WireLimitDecision & {
  readonly per: readonly string[];
  /** Under the API's names: what the limit is made of. */
  readonly numbers: Readonly<Record<string, number | string>>;
  /** When a limit that warns or watches begins to refuse. */
  readonly enforce_from: string | null;
};

/** A receipt, and what it is found by. */
export type ReceiptRow = {
  readonly decisionId: string;
  readonly tenantId: string;
  readonly at: Date;
  readonly outcome: Outcome;
  readonly subjectHash: string;
  readonly limitNames: readonly string[];
  readonly body: string;
};

export function receiptRowOf(kept: KeptCheck, subjectHash: SubjectHash): ReceiptRow {
  const receipt = receiptOf(kept, subjectHash);
  const { blocked_by: blockedBy, would_block: wouldBlock } = receipt;
  const refuser = blockedBy?.limit ?? null;
  return {
    decisionId: receipt.decision_id,
    tenantId: receipt.tenant.id,
    at: new Date(kept.atMs),
    outcome: receipt.outcome,
    subjectHash: receipt.subject_hash,
    limitNames: refuser === null ? wouldBlock : [refuser, ...wouldBlock],
    body: JSON.stringify(receipt),
  };
}

/** Attributes of the call are left out: what they say of people is nobody's business later. */
export function receiptOf(kept: KeptCheck, subjectHash: SubjectHash): Receipt {
  const { event, outcome, atMs, repeats, lastAtMs } = kept;
  const { decision, tenant, subject } = event;
  const wire = decisionToWire(decision);
  const clearsAtMs = clearsAtMsOf(decision, atMs);
  return {
    decision_id: wire.decision_id,
    at: isoOf(atMs),
    what_happened: whatHappened(kept),
    what_to_do: whatToDo(kept, clearsAtMs),
    tenant: { id: tenant, name: Decision.factsOf(decision).check.tenant },
    subject,
    subject_hash: subjectHash(tenant, subject),
    resource: redactText(event.resource),
    route: event.route,
    request_id: event.requestId,
    outcome,
    allowed: wire.allowed,
    mode: wire.mode,
    cost: wire.cost,
    costs: wire.costs,
    basis: wire.basis,
    degraded_reason: wire.degraded_reason,
    message: wire.message,
    blocked_by: wire.blocked_by,
    would_block: wire.would_block,
    retry_after_ms: wire.retry_after_ms,
    clears_at: clearsAtMs === null ? null : isoOf(clearsAtMs),
    plan_id: event.planId,
    policy: event.policy,
    epoch: event.epoch,
    limits: limitsOf(decision, wire.limits),
    repeats,
    last_at: isoOf(lastAtMs),
  };
}

/** Of what was let in: when a limit that would have refused no longer would. */
function clearsAtMsOf(decision: Decision, atMs: number): number | null {
  const { shutOut } = Decision.factsOf(decision);
  if (shutOut) return shutOut.untilUs === null ? null : Math.ceil(shutOut.untilUs / 1000);
  const refusing = decision.allowed ? wouldBlockersOf(decision) : refusersOf(decision);
  const waitMs = waitMsOf(refusing);
  return waitMs === null ? null : atMs + waitMs;
}

function limitsOf(decision: Decision, wire: readonly WireLimitDecision[]): ReceiptLimit[] {
  return Decision.viewsOf(decision).map(({ bound: { limit } }, at) => ({
    ...(wire[at] as WireLimitDecision),
    per: limit.per,
    numbers: numbersOf(limit),
    enforce_from: limit.enforceFromMs === null ? null : isoOf(limit.enforceFromMs),
  }));
}

function numbersOf({ numbers, size }: Limit): ReceiptLimit['numbers'] {
  switch (numbers.algorithm) {
    case 'token_bucket': {
      const { tokens, perUs } = numbers;
      return { bucket_capacity: size, refill_rate_per_sec: (tokens * 1_000_000) / perUs };
    }
    case 'concurrency':
      return { max_concurrent: size, stale_after_seconds: numbers.staleAfterUs / 1_000_000 };
    case 'quota':
      return { limit: size, period: numbers.calendar.period };
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return { limit: size, window_seconds: numbers.windowUs / 1_000_000 };
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
