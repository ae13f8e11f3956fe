import { TextField } from '../../../ui/form/inputs.tsx';
import { EndingField } from '../EndingField.tsx';
import { NumbersFields, type OwnNumbers } from './NumbersFields.tsx';
import type { OverrideDraft, Span } from './override-draft.ts';
import { StartingField } from './StartingField.tsx';
import { WhomFields } from './WhomFields.tsx';

/** Which numbers, for whom, from when to when, and why. */
export function OverrideFields({
  numbers,
  value,
  onChange,
  kept,
}: {
  readonly numbers: OwnNumbers;
  readonly value: OverrideDraft;
  readonly onChange: (part: Partial<OverrideDraft>) => void;
  /** Of what is there already. */
  readonly kept?: Span;
}) {
  return (
    <>
      <NumbersFields
        own={numbers}
        value={value.numbers}
        onChange={(typed) => onChange({ numbers: typed })}
      />
      <WhomFields value={value} onChange={onChange} />
      <StartingField
        value={value.starting}
        onChange={(starting) => onChange({ starting })}
        {...(kept && { kept: kept.starts_at })}
      />
      <EndingField
        value={value.ending}
        onChange={(ending) => onChange({ ending })}
        {...(kept && { kept: kept.expires_at })}
      />
      <TextField
        label="Why"
        name="reason"
        maxLength={500}
        value={value.reason}
        onChange={(reason) => onChange({ reason })}
        hint="For whoever finds it later."
      />
    </>
  );
}
