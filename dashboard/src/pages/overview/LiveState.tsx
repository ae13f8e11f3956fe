import { Badge } from '../../ui/Badge.tsx';
import { Countdown } from '../../ui/Time.tsx';
import type { ListenState } from '../../live/listen.ts';

/** Whether what is shown is what happens. */
export function LiveState({ state }: { readonly state: ListenState }) {
  switch (state.kind) {
    case 'live':
      return (
        <Badge tone="good">
          <i className="pulse" aria-hidden="true" />
          Live
        </Badge>
      );
    case 'connecting':
      return <Badge>Connecting…</Badge>;
    case 'waiting':
      return (
        <Badge tone="warning">
          Connecting again in{' '}
          <Countdown to={new Date(state.untilMs).toISOString()} over="a moment" />
        </Badge>
      );
    case 'off':
      return <Badge tone="bad">Not live</Badge>;
  }
}
