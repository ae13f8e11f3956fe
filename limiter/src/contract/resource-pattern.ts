import { InvalidInput } from '../core/errors.ts';
import { parseText } from '../core/parse.ts';
import type { CanonicalLimit } from './wire-limit.ts';

const lengthMax = 512;
const wildcardsMax = 16;

/**
 * Which resources something is for: any text, in which `{x}` stands for one segment, `*` for
 * anything within one, and a final `/*` for the rest.
 */
export function requirePattern(field: string, value: string): void {
  const pattern = parseText(field, value, lengthMax);
  if (/\p{Cc}/u.test(pattern)) throw new InvalidInput(field, 'must have no control characters');
  if (pattern.includes('**')) throw new InvalidInput(field, 'has ** in it; one * is enough');
  if (pattern.split('/').some(isHalfNamed)) {
    throw new InvalidInput(
      field,
      'has braces that are no whole segment; write them as in GET:/orders/{id}/items',
    );
  }
  if (pattern.split(/[*{]/).length - 1 > wildcardsMax) {
    throw new InvalidInput(field, `must have at most ${wildcardsMax} of * and {x}`);
  }
}

export function requirePatterns(limits: readonly CanonicalLimit[]): void {
  for (const [at, { resources = [] }] of limits.entries()) {
    for (const [place, pattern] of resources.entries()) {
      requirePattern(`limits[${at}].resources[${place}]`, pattern);
    }
  }
}

function isHalfNamed(segment: string): boolean {
  return /[{}]/.test(segment) && !/^\{\w{1,64}\}$/.test(segment);
}
