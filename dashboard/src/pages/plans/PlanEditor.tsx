import type { ReactNode } from 'react';
import { planFromWire } from 'sluice/contract';
import type { FieldProblem } from '../../api/problem.ts';
import { Bench } from '../../limits/Bench.tsx';
import type { LimitDraft } from '../../limits/draft.ts';
import { bindTo } from '../../limits/fields/bind.ts';
import { TextControl } from '../../limits/fields/controls.tsx';
import { useDraft, type Saving } from '../../limits/use-draft.ts';
import { problemIn, problemsInLimits } from '../../limits/problems.ts';

/** Name and limits of a plan, whether it is there already or not. */
export function PlanEditor({
  start,
  fields,
  problems = [],
  submit,
  saving,
  onSave,
  onReload,
}: {
  readonly start: { readonly name: string; readonly limits: readonly LimitDraft[] };
  /** Before the others. */
  readonly fields?: ReactNode;
  /** What is wrong with them. */
  readonly problems?: readonly FieldProblem[];
  readonly submit: string;
  readonly saving: Saving;
  readonly onSave: (draft: LimitDraft) => void;
  readonly onReload?: () => void;
}) {
  const { name, limits } = start;
  const [draft, change] = useDraft({ name, limits }, saving);
  return (
    <Bench
      draft={draft}
      problems={[...problems, ...problemsInPlan(draft)]}
      fields={
        <>
          {fields}
          <TextControl
            label="Plan name"
            bound={bindTo(draft, '', change)('name')}
            hint="A plan for all tenants that is named after a tier is the plan of that tier."
          />
        </>
      }
      submit={submit}
      saving={saving}
      onChange={change}
      onSubmit={() => onSave(draft)}
      {...(onReload && { onReload })}
    />
  );
}

/** Of all limits, not of the first alone; then of what surrounds them. */
function problemsInPlan(draft: LimitDraft) {
  const ofLimits = problemsInLimits(draft['limits']);
  const around = problemIn(() => planFromWire({ ...draft, limits: [anyLimit] }));
  const none = ofLimits.length + around.length === 0 ? problemIn(() => planFromWire(draft)) : [];
  return [...around, ...ofLimits, ...none];
}

const anyLimit = { algorithm: 'fixed_window', limit: 1, window_seconds: 1 };
