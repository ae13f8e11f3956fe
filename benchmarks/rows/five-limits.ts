import { openChecks } from '../checked.ts';
import { openFlexible } from '../flexible.ts';
import { five } from '../limits.ts';
import { measure, type Contender, type Measured, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { callOnce, takeTurns, type Caller } from '../subjects.ts';
import { lineOf, type Line } from '../table.ts';

type Manner = 'in turn' | 'at once';

/** Row 5: five limits decided in one call, against one call for each. */
export async function measureFiveLimits(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const { redis } = server;
  const contenders: Contenders = {
    sluice: await openChecks({ redis, limits: five, name: 'five', inFlight: 1, tenants: 'one' }),
    inTurn: await openSeparate(server, 'in turn'),
    atOnce: await openSeparate(server, 'at once'),
  };
  const alone = await measure(contenders, pace, server.meter);
  const crowded = await measure(withInFlight(contenders, 64), pace, server.meter);
  return [
    ...linesOf(alone, { inFlight: 1, atLeast: 3 }),
    ...linesOf(crowded, { inFlight: 64, atLeast: 1.5 }),
  ];
}

type Contenders = Readonly<Record<'sluice' | 'inTurn' | 'atOnce', Contender>>;

function withInFlight({ sluice, inTurn, atOnce }: Contenders, inFlight: number): Contenders {
  return {
    sluice: { ...sluice, inFlight },
    inTurn: { ...inTurn, inFlight },
    atOnce: { ...atOnce, inFlight },
  };
}

function linesOf(
  { sluice, inTurn, atOnce }: Measured<keyof Contenders>,
  { inFlight, atLeast }: { readonly inFlight: number; readonly atLeast: number },
): Line[] {
  const what = `five mixed limits in one call, ${inFlight} in flight`;
  const said = { row: 5, what, subject: sluice };
  const against = 'five rate-limiter-flexible calls in turn';
  return [
    lineOf({ ...said, against, toReach: { atLeast }, baseline: inTurn }),
    lineOf({ ...said, against: 'the same five at once', toReach: null, baseline: atOnce }),
  ];
}

/** In turn, as one who stops at the first refusal must; at once, as one who charges them all. */
async function openSeparate({ redis }: BenchmarkServer, manner: Manner): Promise<Contender> {
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
  return { inFlight: 1, callsPerRun: 1, run: () => call(take()) };
}
