import { TextField } from '../../../ui/form/inputs.tsx';
import { EndingField } from '../EndingField.tsx';
import { NumbersFields, type OwnNumbers } from './NumbersFields.tsx';
import type { OverrideDraft } from './override-draft.ts';
import { WhomFields } from './WhomFields.tsx';

/** Which numbers, for whom, how long, and why. */
export function OverrideFields({
  numbers,
  value,
  onChange,
  kept,
}: {
  readonly numbers: OwnNumbers;
  readonly value: OverrideDraft;
  readonly onChange: (part: Partial<OverrideDraft>) => void;
  /** When it ends already. */
  readonly kept?: string | null;
}) {
  return (
    <>
      <NumbersFields
        own={numbers}
        value={value.numbers}
        onChange={(typed) => onChange({ numbers: typed })}
      />
      <WhomFields value={value} onChange={onChange} />
      <EndingField
        value={value.ending}
        onChange={(ending) => onChange({ ending })}
        {...(kept !== undefined && { kept })}
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
