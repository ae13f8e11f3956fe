import { openChecks } from '../checked.ts';
import { bucket, five } from '../limits.ts';
import { measure, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { lineOf, type Line } from '../table.ts';

const inFlight = 64;

/** Row 6: what four more limits cost. */
export async function measureFiveAgainstOne(
  { redis, meter }: BenchmarkServer,
  pace: Pace,
): Promise<Line[]> {
  const contenders = {
    five: await openChecks({ redis, limits: five, name: 'five', inFlight, tenants: 'one' }),
    one: await openChecks({ redis, limits: [bucket], name: 'one', inFlight, tenants: 'one' }),
  };
  const seen = await measure(contenders, pace, meter);
  return [
    lineOf({
      row: 6,
      what: `five limits, ${inFlight} in flight`,
      against: 'one limit',
      toReach: { atLeast: 0.4 },
      subject: seen.five,
      baseline: seen.one,
    }),
  ];
}
