import type { BoundLimit } from './engine.ts';
import type { Limit } from './limit.ts';

const dayMs = 86_400_000;
const yearMs = 366 * dayMs;

/** How long a refund must be remembered: until none of what was charged could be given back. */
export function refundableMs(limits: readonly BoundLimit[]): number {
  return limits.reduce((longest, { limit }) => Math.max(longest, countsForMs(limit)), dayMs);
}

/** A debit is remembered as a refund is, under a name that no refund has. */
export function debitMark(id: string): string {
  return `debit ${id}`;
}

const chargeKeptMsMin = 600_000;
export const chargeKeptMsMax = dayMs;

/**
 * How long a charge is kept for a refund by its id: while some of it could be given back, a day at
 * the most; and long enough to tell who asks again, or late, what became of it.
 */
export function chargeKeptMs(limits: readonly BoundLimit[]): number {
  const longest = limits.reduce((most, { limit }) => Math.max(most, countsForMs(limit)), 0);
  return Math.min(chargeKeptMsMax, Math.max(chargeKeptMsMin, longest));
}

function countsForMs({ numbers, algorithm }: Limit): number {
  if (numbers.algorithm === 'fixed_window') return Math.ceil(numbers.windowUs / 1000);
  if (numbers.algorithm === 'quota') return yearMs;
  return Math.ceil((algorithm.recoveryUs(numbers) ?? 0) / 1000);
}
