import type { FieldProblem } from '../../../api/problem.ts';
import { numberOf } from '../../../ui/form/inputs.tsx';
import type { Sent } from '../changed-in.ts';
import { endingIn, expiryOf, keptEnding, type Ending } from '../lifetime.ts';
import type { NumberField, Override } from '../objects.ts';
import { attributesIn } from './override-words.ts';

/** An override as it is typed. */
export type OverrideDraft = {
  readonly numbers: Readonly<Partial<Record<NumberField, string>>>;
  readonly resource: string;
  readonly subject: string;
  readonly attributes: string;
  readonly ending: Ending;
  readonly reason: string;
};

export const noDraft: OverrideDraft = {
  numbers: {},
  resource: '',
  subject: '',
  attributes: '',
  ending: endingIn('day'),
  reason: '',
};

export function draftOf(override: Override): OverrideDraft {
  const { numbers, resource, subject, attributes, reason } = override;
  const typed = Object.entries(numbers).map(([field, value]) => [field, String(value)]);
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  return {
    numbers: Object.fromEntries(typed) as OverrideDraft['numbers'],
    resource: resource ?? '',
    subject: subject ?? '',
    attributes: pairs.join('\n'),
    ending: keptEnding,
    reason,
  };
}

/** What the service could not say, for it is not sent what can't be read. */
export function problemsOf({ attributes }: OverrideDraft): readonly FieldProblem[] {
  if (attributesIn(attributes) !== null) return [];
  return [{ field: 'attributes', problem: 'needs name=value in each line' }];
}

/** As the API takes it, but for whose it is. */
export function sentOf(draft: OverrideDraft): Sent {
  const { numbers, resource, subject, attributes, ending, reason } = draft;
  const typed = Object.entries(numbers).map(([field, text]) => [field, numberOf(text)] as const);
  return {
    numbers: Object.fromEntries(typed.filter(([, value]) => value !== undefined)),
    resource: resource.trim() || null,
    subject: subject || null,
    attributes: attributesIn(attributes),
    expires_at: expiryOf(ending),
    reason: reason.trim(),
  };
}
