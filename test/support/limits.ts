import type { BoundLimit, Question } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../limiter/src/core/limit.ts';
import { parseLimit } from '../../limiter/src/core/parse-limit.ts';

let made = 0;

/** A limit as an engine sees it. */
export function limitOf(input: LimitInput): Limit {
  const limit = parseLimit(input, { definedBy: 'test', field: 'limit' });
  if (!limit) throw new Error('the limit is off');
  return limit;
}

/** Bound to one subject, or to the whole tenant without one. */
export function bound(
  limit: Limit,
  cost = 1,
  parts: readonly string[] = ['a-subject'],
): BoundLimit {
  return { limit, parts, cost };
}

export function question(
  limits: readonly BoundLimit[],
  more: Partial<Omit<Question, 'limits'>> = {},
): Question {
  made += 1;
  const peek = limits.every(({ cost }) => cost === 0);
  return { id: `q${made}`, limits, peek, ...more };
}
