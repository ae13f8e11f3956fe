import type { Redis } from 'ioredis';
import { decide, openEngine, questionOf } from '../decided.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import type { BenchmarkServer } from '../server.ts';
import { callOnce, takeTurns, type Caller } from '../subjects.ts';
import { lineOf, type Line } from '../table.ts';

const checksPerCall = 50;
const inFlight = 4;
const features = { epoch: false, ledger: false };
const tenant = { id: 'tenant-of-all' };

/** Row 7: many checks of one tenant share one script call. */
export async function measureManyChecks(server: BenchmarkServer, pace: Pace): Promise<Line[]> {
  const contenders = {
    together: await openTogether(server.redis),
    pipelined: await openSeparate(server.pipelined, 'pipelined'),
    concurrent: await openSeparate(server.redis, 'concurrent'),
  };
  const seen = await measure(contenders, pace, server.meter);
  const what = `${checksPerCall} checks of one tenant in one decide`;
  const said = { row: 7, what, toReach: { atLeast: 2 }, subject: seen.together };
  return [
    lineOf({ ...said, against: `${checksPerCall} in a pipeline`, baseline: seen.pipelined }),
    lineOf({ ...said, against: `${checksPerCall} concurrent ones`, baseline: seen.concurrent }),
  ];
}

async function openTogether(redis: Redis): Promise<Contender> {
  const engine = openEngine(redis, 'together');
  const take = takeTurns();
  const askAll = (callers: readonly Caller[]) => {
    const questions = callers.map(({ subject }) => questionOf(subject, features));
    return decide(engine, { tenant, questions }, features);
  };
  await callOnce((caller) => askAll([caller]));
  const run = () => askAll(Array.from({ length: checksPerCall }, take));
  return { inFlight, callsPerRun: checksPerCall, run };
}

async function openSeparate(redis: Redis, prefix: string): Promise<Contender> {
  const engine = openEngine(redis, prefix);
  const take = takeTurns();
  const ask = ({ subject }: Caller) =>
    decide(engine, { tenant, questions: [questionOf(subject, features)] }, features);
  await callOnce(ask);
  const run = async () => {
    await Promise.all(Array.from({ length: checksPerCall }, () => ask(take())));
  };
  return { inFlight, callsPerRun: checksPerCall, run };
}
