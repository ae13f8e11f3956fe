import type { DrawingProps } from './drawing.ts';
import { Figures } from './Figures.tsx';
import { weighWindows, windowStart } from './state.ts';
import { Timeline } from './Timeline.tsx';

/** Two counted windows, and over them the one that is meant. */
export function CounterDrawing({ limit, charges, nowMs }: DrawingProps<'sliding_window_counter'>) {
  const windowMs = limit.window_seconds * 1000;
  const startMs = windowStart(nowMs, windowMs);
  const { previous, current, share, used } = weighWindows(charges, windowMs, nowMs);
  return (
    <div className="drawing">
      <Timeline
        fromMs={startMs - windowMs}
        toMs={startMs + windowMs}
        nowMs={nowMs}
        charges={[]}
        label={`about ${used.toFixed(1)} of ${limit.limit} in the last ${limit.window_seconds} seconds`}
        spans={[
          {
            kind: 'past',
            fromMs: startMs - windowMs,
            toMs: startMs,
            fill: previous / limit.limit,
            label: `previous: ${previous}`,
          },
          {
            kind: 'window',
            fromMs: startMs,
            toMs: startMs + windowMs,
            fill: current / limit.limit,
            label: `current: ${current}`,
          },
          { kind: 'view', fromMs: nowMs - windowMs, toMs: nowMs },
        ]}
      />
      <Figures
        main={`${Math.max(0, limit.limit - used).toFixed(1)} of ${limit.limit}`}
        unit="left, about"
        lines={[
          [
            'Counted as',
            `${previous} × ${Math.round(share * 100)} % + ${current} = ${used.toFixed(1)}`,
          ],
        ]}
      />
    </div>
  );
}
