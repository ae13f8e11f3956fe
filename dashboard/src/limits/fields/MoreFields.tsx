import { useContext, useState } from 'react';
import { CheckField } from '../../ui/form/inputs.tsx';
import { FormErrors } from '../../ui/form/form-context.ts';
import { algorithmOf, recordOf, withField, type LimitDraft } from '../draft.ts';
import { bindTo } from './bind.ts';
import {
  alignChoices,
  curveChoices,
  failureChoices,
  guardedFailureChoices,
  missingChoices,
} from './choices.ts';
import { ChoiceControl, FlagControl, LinesControl, NumberControl } from './controls.tsx';
import { readWhen, showWhen } from './lines.ts';
import { CalendarFields } from './NumbersFields.tsx';

/** Which of a limit's fields stand here: an error at one of them opens it. */
const rare =
  /\.(align|anchor|timezone|when|on_missing|on_store_failure|security|confirm|block_\w+|backpressure)\b/;

type Props = {
  readonly draft: LimitDraft;
  readonly path: string;
  readonly onChange: (draft: LimitDraft) => void;
};

/** What few limits need. */
export function MoreFields({ draft, path, onChange }: Props) {
  const bind = bindTo(draft, path, onChange);
  const [isOpen, setOpen] = useState(() =>
    Object.keys(draft).some((name) => rare.test(`.${name}`)),
  );
  const errors = useContext(FormErrors);
  const isWrong = errors.some(({ field }) => field.startsWith(`${path}.`) && rare.test(field));
  const algorithm = algorithmOf(draft);
  const isGuard = draft['security'] === true;
  return (
    <details
      className="more"
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>More</summary>
      <div className="stack">
        {algorithm === 'quota' && <CalendarFields bind={bind} />}
        {algorithm === 'fixed_window' && (
          <ChoiceControl label="Windows begin" bound={bind('align')} options={alignChoices} />
        )}
        <LinesControl
          label="Only when attributes are"
          bound={bind('when')}
          show={showWhen}
          read={readWhen}
          placeholder="feature = beta-search, beta-export"
          hint="One attribute in a line, with the values that are meant."
        />
        <div className="field-row">
          <ChoiceControl
            label="When an attribute is missing"
            bound={bind('on_missing')}
            options={missingChoices}
          />
          <ChoiceControl
            label="When the store fails"
            bound={bind('on_store_failure')}
            options={isGuard ? guardedFailureChoices : failureChoices}
          />
        </div>
        <FlagControl label="Security limit: fails closed, never delays" bound={bind('security')} />
        {isGuard && (
          <FlagControl label="I mean it, though it does not enforce" bound={bind('confirm')} />
        )}
        <PenaltyFields {...{ draft, path, onChange }} />
        <BackpressureFields {...{ draft, path, onChange }} />
      </div>
    </details>
  );
}

function PenaltyFields({ draft, path, onChange }: Props) {
  const bind = bindTo(draft, path, onChange);
  return (
    <div className="field-row">
      <NumberControl
        label="Penalty (seconds)"
        bound={bind('block_for_seconds')}
        optional
        hint="Keeps out whoever was refused."
      />
      <NumberControl label="Grows by" bound={bind('block_growth')} optional placeholder="1" />
      <NumberControl label="Up to (seconds)" bound={bind('block_max_seconds')} optional />
    </div>
  );
}

function BackpressureFields({ draft, path, onChange }: Props) {
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
