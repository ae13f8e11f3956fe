import { waitInWords } from '../../../ui/words.ts';
import type { DrawingProps } from './drawing.ts';
import { Figures } from './Figures.tsx';
import { usedBetween } from './state.ts';
import { Timeline } from './Timeline.tsx';

/** A window that ends now, wherever now is: each call leaves it on the left, one by one. */
export function LogDrawing({ limit, charges, nowMs }: DrawingProps<'sliding_window_log'>) {
  const windowMs = limit.window_seconds * 1000;
  const used = usedBetween(charges, nowMs - windowMs, nowMs + 1);
  const oldest = charges.find(({ atMs }) => atMs >= nowMs - windowMs);
  return (
    <div className="drawing">
      <Timeline
        fromMs={nowMs - windowMs * 1.4}
        toMs={nowMs + windowMs * 0.1}
        nowMs={nowMs}
        charges={charges}
        label={`${used} of ${limit.limit} in the last ${limit.window_seconds} seconds`}
        spans={[
          {
            kind: 'view',
            fromMs: nowMs - windowMs,
            toMs: nowMs,
            label: `the last ${limit.window_seconds} s: ${used}`,
          },
        ]}
      />
      <Figures
        main={`${Math.max(0, limit.limit - used)} of ${limit.limit}`}
        unit="left right now"
        lines={[
          [
            'Next to leave',
            oldest ? `in ${waitInWords(oldest.atMs + windowMs - nowMs)}` : 'none is counted',
          ],
        ]}
      />
    </div>
  );
}
