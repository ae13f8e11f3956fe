import { openChecks } from '../checked.ts';
import { bucket } from '../limits.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { lineOf, type Line } from '../table.ts';

const inFlight = 64;

/** Row 3: what one limit costs above the round trip of any script. */
export async function measureOneLimit(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const { redis } = server;
  const limits = [bucket];
  const contenders = {
    one: await openChecks({ redis, limits, name: 'one', inFlight, tenants: 'one' }),
    many: await openChecks({ redis, limits, name: 'many', inFlight, tenants: 'many' }),
    bare: await openBareScript(server),
  };
  const seen = await measure(contenders, pace, server.meter);
  const said = { row: 3, against: 'bare EVALSHA of `return 1`', toReach: { atLeast: 0.6 } };
  const what = `Redis engine, one limit, ${inFlight} in flight`;
  const baseline = seen.bare;
  return [
    lineOf({ ...said, what, subject: seen.one, baseline }),
    lineOf({ ...said, what: `${what}, 100 tenants`, subject: seen.many, baseline }),
  ];
}

async function openBareScript({ redis }: BenchmarkServer): Promise<Contender> {
  const sha = String(await redis.script('LOAD', 'return 1'));
  const run = async () => {
    await redis.evalsha(sha, 1, 'sl1:{benchmark-tenant}:a-counter-of-the-same-length');
  };
  return { inFlight, callsPerRun: 1, run };
}
