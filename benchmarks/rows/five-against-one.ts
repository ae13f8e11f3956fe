import { openChecks } from '../checked.ts';
import { bucket, five } from '../limits.ts';
import { measure, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { lineOf, type Line } from '../table.ts';

/** Row 6: what four more limits cost, where the trip counts for most and where the work does. */
export async function measureFiveAgainstOne(
  { redis, meter }: BenchmarkServer,
  pace: Pace,
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const inFlight of [1, 64]) {
    const shared = { redis, inFlight, tenants: 'one' } as const;
    const contenders = {
      five: await openChecks({ ...shared, limits: five, name: 'five' }),
      one: await openChecks({ ...shared, limits: [bucket], name: 'one' }),
    };
    const seen = await measure(contenders, pace, meter);
    lines.push(
      lineOf({
        row: 6,
        what: `five limits, ${inFlight} in flight`,
        against: 'one limit',
        toReach: { atLeast: 0.4 },
        subject: seen.five,
        baseline: seen.one,
      }),
    );
  }
  return lines;
}
