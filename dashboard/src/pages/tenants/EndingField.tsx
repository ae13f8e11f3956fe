import { laterOptions, MomentField, type MomentProps } from './MomentField.tsx';

const options = [...laterOptions, { value: 'never', label: 'never' }];

/** After a while, at a moment, or never. */
export function EndingField({
  choices = options.map(({ value }) => value),
  ...moment
}: MomentProps & { readonly choices?: readonly string[] }) {
  return (
    <MomentField
      label="Ends"
      name="expires_at"
      none="never"
      typed="End, by your clock"
      options={options.filter(({ value }) => choices.includes(value))}
      {...moment}
    />
  );
}
