import type { Duration } from '../core/duration.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { createLimiter } from '../limiter/create-limiter.ts';
import type { SyncLimiter } from '../limiter/limiter.ts';
import { FakeClock } from './fake-clock.ts';

export type TestLimiter = {
  readonly limiter: SyncLimiter;
  readonly clock: FakeClock;
  readonly advance: (duration: Duration) => void;
};

/** A limiter in process, as in production, on a clock that is moved by hand. */
export function createTestLimiter(...limits: readonly LimitInput[]): TestLimiter {
  const clock = new FakeClock();
  const limiter = createLimiter({ limits, clock: clock.clock });
  return { limiter, clock, advance: (duration) => clock.advance(duration) };
}
