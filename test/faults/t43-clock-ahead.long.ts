import { campaign } from './rig/campaign.ts';
import { stepClock } from './rig/stepped-clock.ts';

const stepMs = 60_000;

campaign('T43', 'Clock of Redis steps ahead', async (report, cleanUp) => {
  // Once with less than a full bucket to gain, once with more.
  for (const bucket of [
    { capacity: 1000, refillPerSecond: 10 },
    { capacity: 100, refillPerSecond: 50 },
  ]) {
    const gain = Math.min(bucket.capacity, (stepMs / 1000) * bucket.refillPerSecond);
    const seen = await stepClock(cleanUp, {
      bucket,
      stepMs,
      beforeMs: 1500,
      afterMs: 1500,
      isTold: true,
    });
    if (!seen) return report.note('not shown: there is no gcc to build the clock shim with');
    report.atMost(`over-admission (min(B, r·Δ) = ${gain})`, seen.over, gain);
    report.exactly('failed calls', seen.failed, 0);
    report.atLeast('alarms', seen.alarms ?? 0, 1);
  }
  report.note(`by ${stepMs} ms`);
});
