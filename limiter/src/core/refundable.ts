import type { BoundLimit } from './engine.ts';
import type { Limit } from './limit.ts';

const dayMs = 86_400_000;
const yearMs = 366 * dayMs;

/** How long a refund must be remembered: until none of what was charged could be given back. */
export function refundableMs(limits: readonly BoundLimit[]): number {
  return limits.reduce((longest, { limit }) => Math.max(longest, countsForMs(limit)), dayMs);
}

function countsForMs({ numbers, algorithm }: Limit): number {
  if (numbers.algorithm === 'fixed_window') return Math.ceil(numbers.windowUs / 1000);
  if (numbers.algorithm === 'quota') return yearMs;
  return Math.ceil((algorithm.recoveryUs(numbers) ?? 0) / 1000);
}
