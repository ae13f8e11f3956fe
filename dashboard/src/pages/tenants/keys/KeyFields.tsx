import { TextField } from '../../../ui/form/inputs.tsx';
import { EndingField } from '../EndingField.tsx';
import type { KeyDraft } from './key-draft.ts';
import { ScopeFields } from './ScopeFields.tsx';

const endings = ['month', 'quarter', 'year', 'at', 'never'];

/** What it is called, what it may, and how long. */
export function KeyFields({
  value,
  onChange,
  kept,
}: {
  readonly value: KeyDraft;
  readonly onChange: (part: Partial<KeyDraft>) => void;
  /** When it ends already. */
  readonly kept?: string | null;
}) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        maxLength={200}
        value={value.name}
        onChange={(name) => onChange({ name })}
        hint="Who or what uses it, such as “checkout, production”."
      />
      <ScopeFields value={value.scopes} onChange={(scopes) => onChange({ scopes })} />
      <EndingField
        value={value.ending}
        onChange={(ending) => onChange({ ending })}
        choices={endings}
        {...(kept !== undefined && { kept })}
      />
    </>
  );
}
