import { campaign, isLong, sized } from './rig/campaign.ts';
import { stepClock } from './rig/stepped-clock.ts';

const stepMs = sized({ short: 1500, long: 30_000 });
const bucket = isLong
  ? { capacity: 100, refillPerSecond: 1 }
  : { capacity: 20, refillPerSecond: 10 };
const normalWaitMs = 1000 / bucket.refillPerSecond;
/** As long as it takes to fill, and the second that every key is kept for longer. */
const designTtlMs = (bucket.capacity / bucket.refillPerSecond) * 1000 + 1000;

campaign(
  'T42',
  'Clock of Redis steps back',
  async (report, cleanUp) => {
    const step = { bucket, stepMs: -stepMs, beforeMs: 1000, afterMs: stepMs + 1000 };
    const seen = await stepClock(cleanUp, step);
    if (!seen) return report.note('not shown: there is no gcc to build the clock shim with');
    report.exactly('over-admission', seen.over, 0);
    report.exactly('failed calls', seen.failed, 0);
    // A second for those who wait to be told, on a busy machine.
    report.atMost('longest wait, ms', seen.longestWaitMs, stepMs + normalWaitMs + 1000);
    report.atMost('longest TTL, ms', seen.longestTtlMs, 2 * designTtlMs);
    report.note(`by ${stepMs} ms; ${seen.admitted} let in`);
  },
  { takesMs: stepMs + 2000 },
);
