import { limitsPerQuestionMax } from '../core/engine.ts';
import { InvalidInput } from '../core/errors.ts';
import type { LimitInput } from '../core/limit-input.ts';
import type { Limit } from '../core/limit.ts';
import { describe } from '../core/numbers.ts';
import { parseLimit } from '../core/parse-limit.ts';

/** A list of limits, each parsed, without those that are off. */
export function parseLimits(limits: readonly LimitInput[], definedBy: string): Limit[] {
  if (!Array.isArray(limits)) {
    throw new InvalidInput('limits', `must be a list of limits, got ${describe(limits)}`);
  }
  requireFew(limits);
  const names = new Set<string>();
  return limits.flatMap((input: LimitInput, at) => {
    const limit = parseLimit(input, { definedBy, field: `limits[${at}]` });
    if (!limit) return [];
    if (names.has(limit.name)) {
      throw new InvalidInput(`limits[${at}].name`, `${limit.name} is taken; give each a name`);
    }
    names.add(limit.name);
    return [limit];
  });
}

export function requireFew<T>(limits: readonly T[]): readonly T[] {
  if (limits.length <= limitsPerQuestionMax) return limits;
  throw new InvalidInput(
    'limits',
    `at most ${limitsPerQuestionMax} apply to one check, got ${limits.length}`,
  );
}
