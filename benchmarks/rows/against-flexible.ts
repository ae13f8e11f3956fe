import { decide, epoch, openEngine, questionOf, type Features } from '../decided.ts';
import { openFlexible } from '../flexible.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { callOnce, callers, takeTurns, type Caller } from '../subjects.ts';
import { lineOf, type Line } from '../table.ts';

const inFlight = 64;

/** Row 4: the engine alone, against the script of the library most people use. */
export async function measureAgainstFlexible(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const contenders = {
    all: await openDecides(server, 'all', { epoch: true, ledger: true }),
    plain: await openDecides(server, 'plain', { epoch: false, ledger: false }),
    flexible: await openConsume(server),
  };
  const seen = await measure(contenders, pace, server.meter);
  const said = { row: 4, against: 'rate-limiter-flexible', baseline: seen.flexible };
  return [
    lineOf({
      ...said,
      what: 'Redis engine, one limit, with epoch and ledger',
      toReach: { atLeast: 0.8 },
      subject: seen.all,
    }),
    lineOf({
      ...said,
      what: 'Redis engine, one limit, without',
      toReach: { atLeast: 1 },
      subject: seen.plain,
    }),
  ];
}

async function openDecides(
  { redis }: BenchmarkServer,
  prefix: string,
  features: Features,
): Promise<Contender> {
  const engine = openEngine(redis, prefix);
  const take = takeTurns();
  const call = ({ tenant, subject }: Caller) =>
    decide(
      engine,
      { tenant: { id: tenant }, questions: [questionOf(subject, features)] },
      features,
    );
  if (features.epoch) {
    const tenants = new Set(callers.map(({ tenant }) => tenant));
    for (const id of tenants) await engine.publishEpoch({ id }, epoch);
  }
  await callOnce(call);
  return { inFlight, callsPerRun: 1, run: () => call(take()) };
}

async function openConsume({ redis }: BenchmarkServer): Promise<Contender> {
  const limiter = openFlexible(redis, 'flexible');
  const take = takeTurns();
  const call = async ({ subject }: Caller) => {
    await limiter.consume(subject);
  };
  await callOnce(call);
  return { inFlight, callsPerRun: 1, run: () => call(take()) };
}
