import { Coalescer } from 'sluice';
import { decide, epoch, openEngine, questionOf, type Features } from '../decided.ts';
import { openFlexible } from '../flexible.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { callOnce, callers, takeTurns, type Caller } from '../subjects.ts';
import { lineOf, type Line } from '../table.ts';

const inFlight = 64;

/** Row 4: the engine alone, against the script of the library most people use. */
export async function measureAgainstFlexible(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const everything = { epoch: true, ledger: true };
  const nothing = { epoch: false, ledger: false };
  const contenders = {
    all: await openDecides(server, { prefix: 'all', features: everything, tenants: 'one' }),
    plain: await openDecides(server, { prefix: 'plain', features: nothing, tenants: 'one' }),
    allMany: await openDecides(server, {
      prefix: 'all-many',
      features: everything,
      tenants: 'many',
    }),
    plainMany: await openDecides(server, { prefix: 'many', features: nothing, tenants: 'many' }),
    flexible: await openConsume(server),
  };
  const seen = await measure(contenders, pace, server.meter);
  const said = { row: 4, against: 'rate-limiter-flexible', baseline: seen.flexible };
  const what = 'Redis engine, one limit';
  const all = { ...said, toReach: { atLeast: 0.8 } };
  const plain = { ...said, toReach: { atLeast: 1 } };
  return [
    lineOf({ ...all, what: `${what}, with epoch and ledger`, subject: seen.all }),
    lineOf({ ...plain, what: `${what}, without`, subject: seen.plain }),
    lineOf({ ...all, what: `${what}, with both, 100 tenants`, subject: seen.allMany }),
    lineOf({ ...plain, what: `${what}, without, 100 tenants`, subject: seen.plainMany }),
  ];
}

type Decides = {
  readonly prefix: string;
  readonly features: Features;
  readonly tenants: 'one' | 'many';
};

async function openDecides(
  { redis }: BenchmarkServer,
  { prefix, features, tenants }: Decides,
): Promise<Contender> {
  const engine = openEngine(redis, prefix);
  const decider = new Coalescer(engine);
  const take = takeTurns();
  const call = ({ tenant, subject }: Caller) => {
    const id = tenants === 'one' ? 'tenant' : tenant;
    return decide(
      decider,
      { tenant: { id }, questions: [questionOf(subject, features)] },
      features,
    );
  };
  if (features.epoch) {
    const ids = new Set(['tenant', ...callers.map(({ tenant }) => tenant)]);
    for (const id of ids) await engine.publishEpoch({ id }, epoch);
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
