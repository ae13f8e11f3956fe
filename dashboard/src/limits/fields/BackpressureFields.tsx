import { CheckField } from '../../ui/form/inputs.tsx';
import { recordOf, withField, type LimitDraft } from '../draft.ts';
import { bindTo } from './bind.ts';
import { curveChoices } from './choices.ts';
import { ChoiceControl, NumberControl } from './controls.tsx';

type Props = {
  readonly draft: LimitDraft;
  readonly path: string;
  readonly onChange: (draft: LimitDraft) => void;
};

/** Advises callers to wait before they are refused. */
export function BackpressureFields({ draft, path, onChange }: Props) {
  const isOn = draft['backpressure'] !== undefined;
  const set = (next: unknown) => onChange(withField(draft, 'backpressure', next));
  const bind = bindTo(recordOf(draft['backpressure']), `${path}.backpressure`, set);
  return (
    <>
      <CheckField
        label="Backpressure: advise callers to slow down before they are refused"
        name={`${path}.has_backpressure`}
        value={isOn}
        onChange={(on) => set(on ? { from: 0.8, max_delay_ms: 200 } : undefined)}
      />
      {isOn && (
        <div className="field-row">
          <NumberControl label="From a share of" bound={bind('from')} placeholder="0.8" optional />
          <NumberControl
            label="Up to (ms)"
            bound={bind('max_delay_ms')}
            placeholder="200"
            optional
          />
          <ChoiceControl label="Curve" bound={bind('curve')} options={curveChoices} />
        </div>
      )}
    </>
  );
}
