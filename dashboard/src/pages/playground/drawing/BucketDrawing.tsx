import { waitInWords } from '../../../ui/words.ts';
import { bucketLevel } from './state.ts';
import type { DrawingProps } from './drawing.ts';
import { Figures } from './Figures.tsx';

/** A tank: its level falls with every call and rises with time. */
export function BucketDrawing({ limit, charges, nowMs }: DrawingProps<'token_bucket'>) {
  const { bucket_capacity: capacity, refill_rate_per_sec: rate } = limit;
  const level = bucketLevel(limit, charges, nowMs);
  const untilNextMs = ((Math.floor(level) + 1 - level) / rate) * 1000;
  const untilFullMs = ((capacity - level) / rate) * 1000;
  const isFull = level >= capacity;
  return (
    <div className="drawing drawing-bucket">
      <div className="tank-frame">
        <p className="quiet tank-inlet">{rate} a second ↓</p>
        <div className="tank" role="img" aria-label={`${level.toFixed(1)} of ${capacity} tokens`}>
          <span className="water" style={{ blockSize: `${(level / capacity) * 100}%` }} />
          {Array.from({ length: capacity - 1 }, (_, at) => (
            <span
              key={at}
              className="tick"
              style={{ insetBlockEnd: `${((at + 1) / capacity) * 100}%` }}
            />
          ))}
        </div>
      </div>
      <Figures
        main={`${level.toFixed(1)} of ${capacity}`}
        unit="tokens"
        lines={[
          ['Next token', isFull ? 'the bucket is full' : `in ${waitInWords(untilNextMs)}`],
          ['Full again', isFull ? 'now' : `in ${waitInWords(untilFullMs)}`],
        ]}
      />
    </div>
  );
}
