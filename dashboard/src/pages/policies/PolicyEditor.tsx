import type { ReactNode } from 'react';
import type { FieldProblem } from '../../api/problem.ts';
import { Bench } from '../../limits/Bench.tsx';
import type { LimitDraft } from '../../limits/draft.ts';
import { bindTo, type Bind } from '../../limits/fields/bind.ts';
import { modeChoices } from '../../limits/fields/choices.ts';
import {
  ChoiceControl,
  LinesControl,
  NumberControl,
  TextControl,
} from '../../limits/fields/controls.tsx';
import { readCosts, showPairs } from '../../limits/fields/lines.ts';
import { useDraft, type Saving } from '../../limits/use-draft.ts';
import { problemsInPolicy } from './policy.ts';

export function PolicyEditor({
  start,
  fields,
  problems = [],
  isShared,
  submit,
  saving,
  onSave,
  onReload,
}: {
  readonly start: LimitDraft;
  /** Before the others. */
  readonly fields?: ReactNode;
  readonly problems?: readonly FieldProblem[];
  /** For all tenants: then a limit may count them together. */
  readonly isShared: boolean;
  readonly submit: string;
  readonly saving: Saving;
  readonly onSave: (draft: LimitDraft) => void;
  readonly onReload?: () => void;
}) {
  const [draft, change] = useDraft(start, saving);
  return (
    <Bench
      draft={draft}
      problems={[...problems, ...problemsInPolicy(draft)]}
      allowGlobal={isShared}
      fields={
        <>
          {fields}
          <PolicyFields bind={bindTo(draft, '', change)} />
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

function PolicyFields({ bind }: { readonly bind: Bind }) {
  return (
    <>
      <TextControl
        label="Resource pattern"
        bound={bind('resource')}
        placeholder="POST:/search"
        hint="{x} is one segment, * anything within one, a final /* the rest. Exact beats {x} beats *."
      />
      <div className="field-row">
        <NumberControl label="Cost" bound={bind('cost')} optional placeholder="1" />
        <NumberControl
          label="Most a call may name"
          bound={bind('max_cost')}
          optional
          placeholder="no bound"
        />
        <ChoiceControl label="Mode of its limits" bound={bind('mode')} options={modeChoices} />
      </div>
      <LinesControl
        label="Costs in further units"
        bound={bind('costs')}
        show={showPairs}
        read={readCosts}
        placeholder="elements = 50"
        hint="One unit in a line."
      />
    </>
  );
}
