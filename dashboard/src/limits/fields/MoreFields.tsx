import { useContext, useState } from 'react';
import { FormErrors } from '../../ui/form/form-context.ts';
import { algorithmOf, type LimitDraft } from '../draft.ts';
import { BackpressureFields } from './BackpressureFields.tsx';
import { bindTo } from './bind.ts';
import { CalendarFields } from './CalendarFields.tsx';
import { alignChoices, failureChoices, guardedFailureChoices, missingChoices } from './choices.ts';
import { ChoiceControl, FlagControl, LinesControl } from './controls.tsx';
import { readWhen, showWhen } from './lines.ts';
import { PenaltyFields } from './PenaltyFields.tsx';

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
        <PenaltyFields bind={bind} />
        <BackpressureFields {...{ draft, path, onChange }} />
      </div>
    </details>
  );
}
