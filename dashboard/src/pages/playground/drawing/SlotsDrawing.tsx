import { waitInWords } from '../../../ui/words.ts';
import type { DrawingProps } from './drawing.ts';
import { Figures } from './Figures.tsx';

/** A box for each slot; a call fills it until it is done. */
export function SlotsDrawing({ limit, openCalls, nowMs }: DrawingProps<'concurrency'>) {
  const { max_concurrent: slots, stale_after_seconds: staleAfter } = limit;
  const open = openCalls.length;
  return (
    <div className="drawing">
      <div className="slots" role="img" aria-label={`${open} of ${slots} slots taken`}>
        {Array.from({ length: slots }, (_, at) => {
          const call = openCalls[at];
          const done = call ? (nowMs - call.sinceMs) / (call.untilMs - call.sinceMs) : 0;
          return (
            <div key={at} className={`slot ${call ? 'is-taken' : ''}`}>
              {call && (
                <span style={{ inlineSize: `${Math.min(1, Math.max(0.04, done)) * 100}%` }} />
              )}
              <em>{call ? waitInWords(Math.max(0, call.untilMs - nowMs)) : 'free'}</em>
            </div>
          );
        })}
      </div>
      <Figures
        main={`${Math.max(0, slots - open)} of ${slots}`}
        unit="slots free"
        lines={[['A silent call', `gives its slot back after ${staleAfter} s`]]}
      />
    </div>
  );
}
