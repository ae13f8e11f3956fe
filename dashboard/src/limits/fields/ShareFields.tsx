import { recordOf, type LimitDraft } from '../draft.ts';
import { bindTo } from './bind.ts';
import { ChoiceControl, NumberControl } from './controls.tsx';

/** As large as a part of another limit. */
export function ShareFields({
  draft,
  path,
  others,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly path: string;
  readonly others: readonly string[];
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const share = recordOf(draft['share_of']);
  const bind = bindTo(share, `${path}.share_of`, (next) => onChange({ ...draft, share_of: next }));
  const options = others.map((value) => ({ value, label: value }));
  return (
    <>
      <ChoiceControl label="Share of" bound={bind('limit')} options={options} />
      <NumberControl
        label="Ratio"
        bound={bind('ratio')}
        hint="0.1 is a tenth; follows overrides."
      />
    </>
  );
}
