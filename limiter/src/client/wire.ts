import type { WireCheck } from '../contract/index.ts';
import { parseCheck } from '../core/check.ts';
import { InvalidInput } from '../core/errors.ts';
import type { PortCheck, RealCost } from '../core/limiter-port.ts';

const planIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A check as the API spells it; bounds are looked at here, as the library does. */
export function wireCheck({ plan, ...check }: PortCheck, plans: PlanIds): WireCheck {
  parseCheck(check);
  const { tenant, resource, subject, cost, costs, attributes, idempotencyKey, reserve } = check;
  return {
    resource,
    // The key says whose the counters are; a tenant of the caller's own must not share a subject's.
    subject: tenant === undefined ? subject : `${encodeURIComponent(tenant)}/${subject}`,
    ...(cost !== undefined && { cost }),
    ...(costs !== undefined && { costs }),
    ...((attributes ?? tenant) !== undefined && {
      attributes: { ...attributes, ...(tenant !== undefined && { tenant }) },
    }),
    ...(plan !== undefined && { plan_id: planIdOf(plan, plans) }),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(reserve !== undefined && {
      reserve: {
        ttl_ms: reserve.ttlMs,
        ...(reserve.onExpiry !== undefined && { on_expiry: reserve.onExpiry }),
      },
    }),
  };
}

/** Ids of plans, by the names that a program knows them by. */
export type PlanIds = Readonly<Record<string, string>>;

function planIdOf(plan: string, plans: PlanIds): string {
  const id = Object.hasOwn(plans, plan) ? plans[plan] : plan;
  if (id !== undefined && planIdPattern.test(id)) return id;
  const known = Object.keys(plans).join(', ') || 'none';
  throw new InvalidInput('plan', `must be the id of a plan, or a name in plans: ${known}`);
}

export function wireCosts({ cost, costs }: RealCost) {
  return { ...(cost !== undefined && { cost }), ...(costs !== undefined && { costs }) };
}
