import { laterOptions, MomentField, type MomentProps } from '../MomentField.tsx';

const options = [{ value: 'now', label: 'at once' }, ...laterOptions];

/** At once, or later; what has begun already pauses until then. */
export function StartingField(moment: MomentProps) {
  const isLater = !['now', 'kept'].includes(moment.value.choice);
  return (
    <MomentField
      label="Starts"
      name="starts_at"
      none="at once"
      typed="Start, by your clock"
      options={options}
      {...(isLater && { hint: 'Until then the limit has its own numbers.' })}
      {...moment}
    />
  );
}
