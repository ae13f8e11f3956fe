import { waitInWords } from '../../../ui/words.ts';
import type { DrawingProps } from './drawing.ts';
import { Figures } from './Figures.tsx';
import { usedBetween, windowStart } from './state.ts';
import { Timeline } from './Timeline.tsx';

/** The window that counts, the one before it, and the edge between them. */
export function WindowDrawing({ limit, charges, nowMs }: DrawingProps<'fixed_window'>) {
  const windowMs = limit.window_seconds * 1000;
  const startMs = windowStart(nowMs, windowMs);
  const used = usedBetween(charges, startMs, startMs + windowMs);
  const before = usedBetween(charges, startMs - windowMs, startMs);
  const left = Math.max(0, limit.limit - used);
  return (
    <div className="drawing">
      <Timeline
        fromMs={startMs - windowMs}
        toMs={startMs + windowMs}
        nowMs={nowMs}
        charges={charges}
        label={`${used} of ${limit.limit} in this window, ${before} in the one before`}
        spans={[
          {
            kind: 'past',
            fromMs: startMs - windowMs,
            toMs: startMs,
            fill: before / limit.limit,
            label: `before: ${before}`,
          },
          {
            kind: 'window',
            fromMs: startMs,
            toMs: startMs + windowMs,
            fill: used / limit.limit,
            label: `this window: ${used}`,
          },
        ]}
      />
      <Figures
        main={`${left} of ${limit.limit}`}
        unit="left in this window"
        lines={[['New window', `in ${waitInWords(startMs + windowMs - nowMs)}`]]}
      />
    </div>
  );
}
