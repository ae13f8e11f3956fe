import { useState } from 'react';
import { TenantField } from '../../components/TenantField.tsx';
import { SelectField } from '../../ui/form/inputs.tsx';

/** Whose it is, as somebody has chosen; a tenant is chosen only where one is meant. */
export function useWhose<Kind extends string>(first: Kind) {
  const [kind, setKind] = useState<Kind>(first);
  const [chosenId, choose] = useState('');
  return { kind, setKind, chosenId, choose };
}

export function WhoseFields<Kind extends string>({
  label,
  name,
  options,
  ofOne,
  whose: { kind, setKind, chosenId, choose },
}: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: Kind; readonly label: string }[];
  /** The option that asks for a tenant. */
  readonly ofOne: Kind;
  readonly whose: ReturnType<typeof useWhose<Kind>>;
}) {
  return (
    <>
      <SelectField {...{ label, name, options }} value={kind} onChange={setKind} />
      {kind === ofOne && <TenantField value={chosenId} none="Choose a tenant" onChange={choose} />}
    </>
  );
}
