import { policyFromWire, requirePattern, type WirePolicy } from 'sluice/contract';
import type { Stored } from '../../api/objects.ts';
import type { FieldProblem } from '../../api/problem.ts';
import { newLimit, type LimitDraft } from '../../limits/draft.ts';
import { problemIn, problemsInLimits } from '../../limits/problems.ts';

export type Policy = Stored & WirePolicy;

export const blankPolicy: LimitDraft = { resource: '', limits: [newLimit([])] };

/** Without what it does not say: `null` and `{}` are how the API says nothing. */
export function draftOf({ resource, cost, costs, max_cost, mode, limits }: WirePolicy): LimitDraft {
  return {
    resource,
    ...(cost !== null && { cost }),
    ...(Object.keys(costs).length > 0 && { costs }),
    ...(max_cost !== null && { max_cost }),
    ...(mode !== null && { mode }),
    limits,
  };
}

/** Everything, for what a change leaves out stays as it was. */
export function changeOf(draft: LimitDraft): LimitDraft {
  return { cost: null, costs: {}, max_cost: null, mode: null, limits: [], ...draft };
}

export function problemsInPolicy(draft: LimitDraft): readonly FieldProblem[] {
  const around = problemIn(() => {
    const { resource } = policyFromWire({ ...draft, limits: [] });
    requirePattern('resource', resource);
  });
  return [...around, ...problemsInLimits(draft['limits'] ?? [])];
}
