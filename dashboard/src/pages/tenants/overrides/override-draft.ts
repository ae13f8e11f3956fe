import type { FieldProblem } from '../../../api/problem.ts';
import { numberOf } from '../../../ui/form/inputs.tsx';
import type { Sent } from '../changed-in.ts';
import { asItIs, chosen, instantOf, type Moment } from '../lifetime.ts';
import type { NumberField, Override } from '../objects.ts';
import { attributesIn } from './override-words.ts';

/** An override as it is typed. */
export type OverrideDraft = {
  readonly numbers: Readonly<Partial<Record<NumberField, string>>>;
  readonly resource: string;
  readonly subject: string;
  readonly attributes: string;
  readonly starting: Moment;
  readonly ending: Moment;
  readonly reason: string;
};

export const noDraft: OverrideDraft = {
  numbers: {},
  resource: '',
  subject: '',
  attributes: '',
  starting: chosen('now'),
  ending: chosen('day'),
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
    starting: asItIs,
    ending: asItIs,
    reason,
  };
}

/** How long it lasts as it is. */
export type Span = Pick<Override, 'starts_at' | 'expires_at'>;

const noSpan: Span = { starts_at: null, expires_at: null };

/**
 * What the service could not say, for it is not sent what can't be read; and what it would say in
 * words that the form does not have.
 */
export function problemsOf(draft: OverrideDraft, before = noSpan): readonly FieldProblem[] {
  return [
    ...(attributesIn(draft.attributes) === null
      ? [{ field: 'attributes', problem: 'needs name=value in each line' }]
      : []),
    ...orderProblemsOf(draft, before),
  ];
}

/** Found at the end, unless that stays as it is. */
function orderProblemsOf({ starting, ending }: OverrideDraft, before: Span): FieldProblem[] {
  const { starts_at: start = before.starts_at, expires_at: end = before.expires_at } = {
    starts_at: instantOf(starting),
    expires_at: instantOf(ending),
  };
  if (start === null || end === null) return [];
  // Of what is no moment yet, nothing is later than the other.
  if (!(Date.parse(start) >= Date.parse(end))) return [];
  return ending.choice === 'kept'
    ? [{ field: 'starts_at', problem: 'must be before it ends' }]
    : [{ field: 'expires_at', problem: 'must be after it starts' }];
}

/** As the API takes it, but for whose it is. */
export function sentOf(draft: OverrideDraft): Sent {
  const { numbers, resource, subject, attributes, starting, ending, reason } = draft;
  const typed = Object.entries(numbers).map(([field, text]) => [field, numberOf(text)] as const);
  return {
    numbers: Object.fromEntries(typed.filter(([, value]) => value !== undefined)),
    resource: resource.trim() || null,
    subject: subject || null,
    attributes: attributesIn(attributes),
    starts_at: instantOf(starting),
    expires_at: instantOf(ending),
    reason: reason.trim(),
  };
}
