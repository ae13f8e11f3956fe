import { createLimiter } from 'sluice';
import { openChecks } from '../checked.ts';
import { openFlexible } from '../flexible.ts';
import { five } from '../limits.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { callOnce, takeTurns, type Caller } from '../subjects.ts';
import { lineOf, type Line } from '../table.ts';

type Manner = 'in turn' | 'at once';

/** Row 5: five limits decided in one call, against one call for each. */
export async function measureFiveLimits(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const lines: Line[] = [];
  for (const { inFlight, target } of [
    { inFlight: 1, target: 3 },
    { inFlight: 64, target: 1.5 },
  ]) {
    const limiter = createLimiter({ redis: server.redis, limits: five });
    const contenders = {
      sluice: await openChecks(limiter, inFlight),
      inTurn: await openSeparate(server, inFlight, 'in turn'),
      atOnce: await openSeparate(server, inFlight, 'at once'),
    };
    const seen = await measure(contenders, pace, server.meter);
    const what = `five mixed limits in one call, ${inFlight} in flight`;
    const said = { row: 5, what, subject: seen.sluice };
    lines.push(
      lineOf({
        ...said,
        against: 'five rate-limiter-flexible calls in turn',
        toReach: { atLeast: target },
        baseline: seen.inTurn,
      }),
      lineOf({
        ...said,
        against: 'the same five at once',
        toReach: null,
        baseline: seen.atOnce,
      }),
    );
  }
  return lines;
}

/** In turn, as one who stops at the first refusal must; at once, as one who charges them all. */
async function openSeparate(
  { redis }: BenchmarkServer,
  inFlight: number,
  manner: Manner,
): Promise<Contender> {
  const perSubject = ['bucket', 'fixed', 'counter', 'log'].map((name) => openFlexible(redis, name));
  const perTenant = openFlexible(redis, 'quota');
  const take = takeTurns();
  const inTurn = async ({ tenant, subject }: Caller) => {
    for (const limiter of perSubject) await limiter.consume(subject);
    await perTenant.consume(tenant);
  };
  const atOnce = async ({ tenant, subject }: Caller) => {
    const open = perSubject.map((limiter) => limiter.consume(subject));
    await Promise.all([...open, perTenant.consume(tenant)]);
  };
  const call = manner === 'in turn' ? inTurn : atOnce;
  await callOnce(call);
  return { inFlight, callsPerRun: 1, run: () => call(take()) };
}
