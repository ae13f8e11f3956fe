import type { BlockedBy, Decision, LimitDecision } from '../core/decision.ts';
import type { WireBlockedBy, WireDecision, WireLimitDecision } from './wire-decision.ts';

/** A decision as our API spells it. Waits are whole milliseconds there: waiting as told suffices. */
export function decisionToWire(decision: Decision): WireDecision {
  const { reservation } = decision;
  return {
    allowed: decision.allowed,
    limit: decision.limit,
    remaining: decision.remaining,
    reset_at: decision.resetAt,
    retry_after_ms: wholeMs(decision.retryAfterMs),
    message: decision.message,
    decision_id: decision.decisionId,
    basis: decision.basis,
    degraded_reason: decision.degradedReason,
    mode: decision.mode,
    delay_ms: decision.delayMs,
    replayed: decision.replayed,
    cost: decision.cost,
    costs: decision.costs,
    blocked_by: blockedByToWire(decision.blockedBy),
    would_block: decision.wouldBlock,
    adaptive: decision.adaptive,
    ticket: decision.ticket,
    reservation: reservation && { id: reservation.id, expires_at: reservation.expiresAt },
    limits: decision.limits.map(limitDecisionToWire),
  };
}

function blockedByToWire(blockedBy: BlockedBy | null): WireBlockedBy | null {
  if (!blockedBy) return null;
  const { limit, per, level, entity, reason } = blockedBy;
  return { limit, per, level, entity, reason };
}

function limitDecisionToWire(decision: LimitDecision): WireLimitDecision {
  return {
    name: decision.name,
    algorithm: decision.algorithm,
    unit: decision.unit,
    cost: decision.cost,
    limit: decision.limit,
    base_limit: decision.baseLimit,
    used: decision.used,
    remaining: decision.remaining,
    override_id: decision.overrideId,
    reset_at: decision.resetAt,
    retry_after_ms: wholeMs(decision.retryAfterMs),
    allowed: decision.allowed,
    mode: decision.mode,
  };
}

export function wholeMs(ms: number | null): number | null {
  return ms === null ? null : Math.ceil(ms);
}
