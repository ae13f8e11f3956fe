import { openChecks } from '../checked.ts';
import { bucket } from '../limits.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { lineOf, type Line } from '../table.ts';

const inFlight = 64;

/** Row 3: what one limit costs above the round trip of any script. */
export async function measureOneLimit(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const { redis } = server;
  const sluice = await openChecks({ redis, limits: [bucket], name: 'one', inFlight });
  const bare = await openBareScript(server);
  const seen = await measure({ sluice, bare }, pace, server.meter);
  return [
    lineOf({
      row: 3,
      what: `Redis engine, one limit, ${inFlight} in flight`,
      against: 'bare EVALSHA of `return 1`',
      toReach: { atLeast: 0.6 },
      subject: seen.sluice,
      baseline: seen.bare,
    }),
  ];
}

async function openBareScript({ redis }: BenchmarkServer): Promise<Contender> {
  const sha = String(await redis.script('LOAD', 'return 1'));
  const run = async () => {
    await redis.evalsha(sha, 1, 'sl1:{benchmark-tenant}:a-counter-of-the-same-length');
  };
  return { inFlight, callsPerRun: 1, run };
}
