import {
  canonicalLimit,
  limitsFromWire,
  requirePatterns,
  type CanonicalLimit,
} from 'sluice/contract';
import { InvalidInput } from 'sluice/core';
import type { FieldProblem } from '../api/problem.ts';

/** What the service would find wrong, by its own code. None when it would take it. */
export function problemIn(parse: () => unknown): readonly FieldProblem[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return [{ field: error.field, problem: error.problem }];
    throw error;
  }
}

/** One of each limit, and only then what is wrong with them together: names, shares and patterns. */
export function problemsInLimits(limits: unknown): readonly FieldProblem[] {
  if (!Array.isArray(limits)) return problemIn(() => limitsFromWire(limits, 'limits'));
  const single = limits.flatMap((limit: unknown, at) =>
    problemIn(() => canonicalLimit(limit, `limits[${at}]`)),
  );
  if (single.length > 0) return single;
  return problemIn(() => requirePatterns(limitsFromWire(limits, 'limits')));
}

/** The limits that are right, each at its place; null for the others. */
export function rightLimits(limits: readonly unknown[]): readonly (CanonicalLimit | null)[] {
  return limits.map((limit, at) => {
    try {
      return canonicalLimit(limit, `limits[${at}]`);
    } catch (error) {
      if (error instanceof InvalidInput) return null;
      throw error;
    }
  });
}

/** Which limit a problem is about. */
export function placeOf({ field }: FieldProblem): number | null {
  const found = /^limits\[(\d+)\]/.exec(field);
  return found ? Number(found[1]) : null;
}
