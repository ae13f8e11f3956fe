import { useId } from 'react';
import { TextField } from '../../ui/form/inputs.tsx';

/** Any text, with some that are known to be meant. */
export function SuggestField({
  suggestions,
  ...rest
}: Parameters<typeof TextField>[0] & { readonly suggestions: readonly string[] }) {
  const id = useId();
  return (
    <>
      <TextField {...rest} list={id} />
      <datalist id={id}>
        {suggestions.map((text) => (
          <option key={text}>{text}</option>
        ))}
      </datalist>
    </>
  );
}
