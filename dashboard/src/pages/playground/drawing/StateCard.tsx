import type { DemoPlan } from '../../../api/objects.ts';
import { Card } from '../../../ui/Card.tsx';
import type { LimitOf } from '../algorithms.ts';
import type { Burst } from '../burst/use-burst.ts';
import { BucketDrawing } from './BucketDrawing.tsx';
import { CounterDrawing } from './CounterDrawing.tsx';
import type { DrawingProps } from './drawing.ts';
import { LogDrawing } from './LogDrawing.tsx';
import { QuotaDrawing } from './QuotaDrawing.tsx';
import { SlotsDrawing } from './SlotsDrawing.tsx';
import { chargesOf } from './state.ts';
import { useFrames } from './use-frames.ts';
import { WindowDrawing } from './WindowDrawing.tsx';

/** What the limit remembers of this visitor, as time goes by. */
export function StateCard({ plan, burst }: { readonly plan: DemoPlan; readonly burst: Burst }) {
  const nowMs = useFrames(burst.answers.length > 0);
  const [limit] = plan.limits;
  if (!limit) return null;
  const resetAt = burst.answers.at(-1)?.decision.reset_at ?? null;
  const rest = {
    charges: chargesOf(burst.answers),
    openCalls: burst.openCalls,
    resetAtMs: resetAt === null ? null : resetAt * 1000,
    nowMs,
  };
  return (
    <Card title="What the limit remembers" about={`${plan.name}: ${plan.about}`}>
      {draw({ limit, ...rest })}
    </Card>
  );
}

type Drawn = { readonly limit: DemoPlan['limits'][number] } & Omit<DrawingProps<'quota'>, 'limit'>;

function draw({ limit, ...rest }: Drawn) {
  switch (limit.algorithm) {
    case 'token_bucket':
      return <BucketDrawing limit={limit} {...rest} />;
    case 'fixed_window':
      return <WindowDrawing limit={limit} {...rest} />;
    case 'sliding_window_log':
      return <LogDrawing limit={limit as LimitOf<'sliding_window_log'>} {...rest} />;
    case 'sliding_window_counter':
      return <CounterDrawing limit={limit as LimitOf<'sliding_window_counter'>} {...rest} />;
    case 'concurrency':
      return <SlotsDrawing limit={limit} {...rest} />;
    case 'quota':
      return <QuotaDrawing limit={limit} {...rest} />;
  }
}
