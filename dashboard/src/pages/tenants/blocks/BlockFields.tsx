import { SelectField, TextField } from '../../../ui/form/inputs.tsx';
import { EndingField } from '../EndingField.tsx';
import { useMay } from '../may.ts';
import type { BlockDraft } from './block-draft.ts';

const actions = [
  { value: 'block', label: 'Block: refuse every check' },
  { value: 'bypass', label: 'Bypass: let through whatever the limits say' },
] as const;

/** What is done, how long, and why. */
export function BlockFields({
  value,
  onChange,
  kept,
}: {
  readonly value: BlockDraft;
  readonly onChange: (part: Partial<BlockDraft>) => void;
  /** When it ends already. */
  readonly kept?: string | null;
}) {
  const { isPlatform } = useMay();
  return (
    <>
      {isPlatform && (
        <SelectField
          label="What"
          name="action"
          value={value.action}
          options={actions}
          onChange={(action) => onChange({ action })}
        />
      )}
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
      />
    </>
  );
}
