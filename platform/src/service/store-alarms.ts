import type { Log, Metrics } from '../observe/index.ts';
import type { StoreAlarm } from '../store/index.ts';

/** One line for each, and what grows of it: neither goes away by itself as a finding does. */
export function tellOfAlarm(
  alarm: StoreAlarm,
  { logger, metrics }: Pick<Log, 'logger'> & { readonly metrics: Metrics },
): void {
  const { server } = alarm;
  if (alarm.kind === 'clock_stepped') {
    const direction = alarm.stepMs > 0 ? 'ahead' : 'back';
    metrics.storeClockStepped(direction);
    const problem =
      direction === 'ahead'
        ? 'Redis skipped this much time, and limits let in what flows in within it: see that its clock is slewed, not set'
        : 'Redis has this much time again, and limits refill later by as much: see that its clock is slewed, not set';
    const step_ms = Math.abs(alarm.stepMs);
    logger.warn({ event: 'store.clock_stepped', server, direction, step_ms, problem });
    return;
  }
  metrics.storeRolledBack();
  const problem = alarm.isAllGone
    ? 'Redis has nothing of what this node wrote: it came back empty or from an old copy, or was emptied; counters begin anew'
    : 'Redis lost what it had confirmed last: a failover or a restart went back by at least this much, and limits let in as much again';
  logger.warn({ event: 'store.rolled_back', server, lost_ms: alarm.lostMs, problem });
}
