import type { Bind } from './bind.ts';
import { NumberControl } from './controls.tsx';

/** Keeps callers out for a while after a refusal. */
export function PenaltyFields({ bind }: { readonly bind: Bind }) {
  return (
    <div className="field-row">
      <NumberControl
        label="Penalty (seconds)"
        bound={bind('block_for_seconds')}
        optional
        hint="Keeps out whoever was refused."
      />
      <NumberControl label="Grows by" bound={bind('block_growth')} optional placeholder="1" />
      <NumberControl label="Up to (seconds)" bound={bind('block_max_seconds')} optional />
    </div>
  );
}
