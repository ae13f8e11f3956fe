import { algorithmOf, type LimitDraft } from '../draft.ts';
import type { Bind } from './bind.ts';
import { ChoiceControl, NumberControl } from './controls.tsx';

const periods = ['hour', 'day', 'week', 'month', 'year'].map((value) => ({
  value,
  label: value === 'hour' ? 'an hour' : `a ${value}`,
}));

/** How fast it comes back, in the numbers of its algorithm. */
export function PaceFields({
  draft,
  bind,
  isShare,
}: {
  readonly draft: LimitDraft;
  readonly bind: Bind;
  readonly isShare: boolean;
}) {
  switch (algorithmOf(draft)) {
    case 'token_bucket':
      return (
        <NumberControl
          label="Refill per second"
          bound={bind('refill_rate_per_sec')}
          optional={isShare}
          hint={isShare ? 'Default: the same share.' : '0.5 is one in two seconds.'}
        />
      );
    case 'concurrency':
      return (
        <NumberControl
          label="A slot lapses after (seconds)"
          bound={bind('stale_after_seconds')}
          hint="When nobody says that the call has ended."
        />
      );
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return <NumberControl label="Window (seconds)" bound={bind('window_seconds')} />;
    case 'quota':
      return <ChoiceControl label="Period" bound={bind('period')} options={periods} />;
  }
}
