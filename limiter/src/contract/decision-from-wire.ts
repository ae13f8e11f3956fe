import type { BlockedBy, LimitDecision } from '../core/decision.ts';
import type { DecisionView } from '../core/limiter-port.ts';
import type { WireBlockedBy, WireDecision, WireLimitDecision } from './wire-decision.ts';

/** A decision of the service as the library spells it: frozen, in the same words. */
export function decisionFromWire(wire: WireDecision): DecisionView {
  const { reservation } = wire;
  return Object.freeze({
    allowed: wire.allowed,
    limit: wire.limit,
    remaining: wire.remaining,
    resetAt: wire.reset_at,
    retryAfterMs: wire.retry_after_ms,
    message: wire.message,
    decisionId: wire.decision_id,
    basis: wire.basis,
    degradedReason: wire.degraded_reason,
    mode: wire.mode,
    delayMs: wire.delay_ms,
    replayed: wire.replayed,
    cost: wire.cost,
    costs: Object.freeze(wire.costs),
    blockedBy: blockedByFromWire(wire.blocked_by),
    wouldBlock: Object.freeze(wire.would_block),
    adaptive: Object.freeze(wire.adaptive),
    ticket: wire.ticket,
    reservation:
      reservation && Object.freeze({ id: reservation.id, expiresAt: reservation.expires_at }),
    limits: Object.freeze(wire.limits.map(limitFromWireDecision)),
  });
}

function blockedByFromWire(blockedBy: WireBlockedBy | null): BlockedBy | null {
  if (!blockedBy) return null;
  const { limit, per, level, entity, reason } = blockedBy;
  return Object.freeze({ limit, per: Object.freeze(per), level, entity, reason });
}

function limitFromWireDecision(wire: WireLimitDecision): LimitDecision {
  return Object.freeze({
    name: wire.name,
    algorithm: wire.algorithm,
    unit: wire.unit,
    cost: wire.cost,
    limit: wire.limit,
    baseLimit: wire.base_limit,
    used: wire.used,
    remaining: wire.remaining,
    overrideId: wire.override_id,
    resetAt: wire.reset_at,
    retryAfterMs: wire.retry_after_ms,
    allowed: wire.allowed,
    mode: wire.mode,
  });
}
