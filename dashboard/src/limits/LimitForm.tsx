import { useContext } from 'react';
import { FormErrors } from '../ui/form/form-context.ts';
import { SelectField } from '../ui/form/inputs.tsx';
import { algorithmNames, algorithms } from './algorithms.ts';
import { algorithmOf, withAlgorithm, type LimitDraft } from './draft.ts';
import { bindTo } from './fields/bind.ts';
import { modeChoices } from './fields/choices.ts';
import { ChoiceControl, LinesControl, TextControl } from './fields/controls.tsx';
import { readList, showList } from './fields/lines.ts';
import { MoreFields } from './fields/MoreFields.tsx';
import { NumbersFields } from './fields/NumbersFields.tsx';
import { PerField } from './fields/PerField.tsx';

const algorithmChoices = algorithmNames.map((value) => ({ value, label: algorithms[value].label }));

/** Every field of one limit. */
export function LimitForm({
  draft,
  path,
  others,
  allowGlobal,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly path: string;
  readonly others: readonly string[];
  readonly allowGlobal: boolean;
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const bind = bindTo(draft, path, onChange);
  const algorithm = algorithmOf(draft);
  return (
    <div className="stack">
      <div className="field-row">
        <TextControl label="Name" bound={bind('name')} placeholder={algorithm} />
        <SelectField
          label="Algorithm"
          name={`${path}.algorithm`}
          value={algorithm}
          options={algorithmChoices}
          onChange={(next) => onChange(withAlgorithm(draft, next))}
        />
      </div>
      <p className="hint">{algorithms[algorithm].about}</p>
      <NumbersFields {...{ draft, path, others, onChange }} />
      <PerField bound={bind('per')} allowGlobal={allowGlobal} />
      <div className="field-row">
        <TextControl
          label="Counts"
          bound={bind('unit')}
          optional
          placeholder="requests"
          hint="Or another unit that calls cost, such as tokens."
        />
        <ChoiceControl
          label="Mode"
          bound={bind('mode')}
          options={modeChoices}
          hint="Inherited is enforce, unless a mode is set for more."
        />
      </div>
      <LinesControl
        label="Only for resources"
        bound={bind('resources')}
        show={showList}
        read={readList}
        placeholder="POST:/search"
        hint="One pattern in a line: {x} is one segment, * anything within one, a final /* the rest."
      />
      <MoreFields {...{ draft, path, onChange }} />
      <OtherProblems path={path} />
    </div>
  );
}

const shown =
  /^\.(name|algorithm|bucket_\w+|refill_\w+|limit|window_\w+|align|max_\w+|stale_\w+|period|anchor|timezone|share_of|per|on_\w+|unit|resources|when|mode|security|confirm|block_\w+|backpressure)\b/;

/** What is wrong with a field that has no place here: it was written by hand. */
function OtherProblems({ path }: { readonly path: string }) {
  const errors = useContext(FormErrors);
  const others = errors.filter(
    ({ field }) =>
      field === path || (field.startsWith(`${path}.`) && !shown.test(field.slice(path.length))),
  );
  return others.map(({ field, problem }) => (
    <p key={field} className="field-error">
      <code>{field}</code> {problem}
    </p>
  ));
}
