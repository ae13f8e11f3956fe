import { type Expression, sql, type SqlBool } from 'kysely';
import { InvalidInput } from 'sluice';
import { parseInstant } from './rows.ts';

/** Ten years, as everywhere. What should last longer has no end. */
export const lifetimeSecondsMax = 10 * 366 * 86_400;

/** When something ends: at an instant, or so many seconds after it starts. */
export type End = { readonly expires_at?: string | null; readonly ttl_seconds?: number };

/** Null is never, undefined that nothing was said. What starts later lasts from then on. */
export function parseEnd(
  { expires_at: expiry, ttl_seconds: seconds }: End,
  startsAt: Date | null = null,
): Date | null | undefined {
  if (seconds === undefined) {
    return typeof expiry === 'string' ? parseFuture('expires_at', expiry) : expiry;
  }
  if (expiry !== undefined) {
    throw new InvalidInput('ttl_seconds', 'says the same as expires_at; give one of the two');
  }
  const startMs = Math.max(Date.now(), startsAt?.getTime() ?? 0);
  return requireSoon('ttl_seconds', new Date(startMs + seconds * 1000));
}

export function parseFuture(field: string, text: string): Date {
  const at = parseInstant(field, text);
  if (at.getTime() <= Date.now()) throw new InvalidInput(field, 'must be in the future');
  return requireSoon(field, at);
}

export function requireSoon(field: string, at: Date): Date {
  if (Math.abs(at.getTime() - Date.now()) <= lifetimeSecondsMax * 1000) return at;
  throw new InvalidInput(field, 'must be within ten years of now');
}

export type Phase = 'active' | 'scheduled' | 'expired';

/** Whether it has begun, and whether it is over. */
export function phaseOf(
  { starts_at: start = null, expires_at: end }: Lifetime,
  nowMs: number,
): Phase {
  if (end !== null && end.getTime() <= nowMs) return 'expired';
  return start !== null && start.getTime() > nowMs ? 'scheduled' : 'active';
}

type Lifetime = { readonly starts_at?: Date | null; readonly expires_at: Date | null };

const isOver = sql<SqlBool>`coalesce(expires_at <= now(), false)`;
const isToCome = sql<SqlBool>`coalesce(starts_at > now(), false)`;

/** Of rows that may start later. */
export const wherePhase = {
  active: sql<SqlBool>`NOT ${isOver} AND NOT ${isToCome}`,
  scheduled: sql<SqlBool>`NOT ${isOver} AND ${isToCome}`,
  expired: isOver,
} as const satisfies Record<Phase, Expression<SqlBool>>;

/** Of rows that start at once. */
export const whereLife = {
  active: sql<SqlBool>`NOT ${isOver}`,
  expired: isOver,
} as const satisfies Partial<Record<Phase, Expression<SqlBool>>>;
