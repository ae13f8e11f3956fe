import type { Bind } from './bind.ts';
import { NumberControl, TextControl } from './controls.tsx';

/** What a quota needs besides: rarely other than the defaults. */
export function CalendarFields({ bind }: { readonly bind: Bind }) {
  return (
    <div className="field-row">
      <NumberControl
        label="Anchor"
        bound={bind('anchor')}
        optional
        placeholder="1"
        hint="The billing day, or a date that periods count from."
      />
      <TextControl
        label="Time zone"
        bound={bind('timezone')}
        optional
        placeholder="UTC"
        hint="Such as Europe/Berlin: periods end at its midnight."
      />
    </div>
  );
}
