import type { FieldProblem } from '../../../api/problem.ts';
import { endingIn, type Ending } from '../lifetime.ts';
import type { NumberField } from '../objects.ts';
import { attributesIn } from './override-words.ts';

/** An override as it is typed. */
export type OverrideDraft = {
  /** Empty is the first there is. */
  readonly limitId: string;
  readonly numbers: Readonly<Partial<Record<NumberField, string>>>;
  readonly resource: string;
  readonly subject: string;
  readonly attributes: string;
  readonly ending: Ending;
  readonly reason: string;
};

export const noDraft: OverrideDraft = {
  limitId: '',
  numbers: {},
  resource: '',
  subject: '',
  attributes: '',
  ending: endingIn('day'),
  reason: '',
};

/** What the service could not say, for it is not sent what can't be read. */
export function problemsOf({ attributes }: OverrideDraft): readonly FieldProblem[] {
  if (attributesIn(attributes) !== null) return [];
  return [{ field: 'attributes', problem: 'needs name=value in each line' }];
}
