import { Meter } from '../../../ui/Meter.tsx';
import { lasting } from '../../../ui/words.ts';
import type { DrawingProps } from './drawing.ts';
import { Figures } from './Figures.tsx';

const periodMs = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_629_800_000,
  year: 31_557_600_000,
};

/** The allowance, and how far the period has come. */
export function QuotaDrawing({ limit, charges, resetAtMs, nowMs }: DrawingProps<'quota'>) {
  const used = charges.reduce((sum, { cost }) => sum + cost, 0);
  const lengthMs = periodMs[limit.period];
  const passed = resetAtMs === null ? null : lengthMs - (resetAtMs - nowMs);
  return (
    <div className="drawing">
      <div className="quota-rows">
        <p>Used</p>
        <Meter used={used} of={limit.limit} label={`Used of this ${limit.period}’s allowance`} />
        <p>The {limit.period} so far</p>
        <Meter
          used={Math.round((passed ?? 0) / 60_000)}
          of={Math.round(lengthMs / 60_000)}
          label={`Minutes of this ${limit.period} that are over`}
          tone="neutral"
        />
      </div>
      <Figures
        main={`${Math.max(0, limit.limit - used)} of ${limit.limit}`}
        unit={limit.period === 'day' ? 'left today' : `left this ${limit.period}`}
        lines={[
          ['Starts anew', resetAtMs === null ? 'at midnight' : `in ${lasting(resetAtMs - nowMs)}`],
        ]}
      />
    </div>
  );
}
