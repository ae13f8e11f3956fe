import type { Check, Decision, Limiter } from 'sluice';
import type { Contender } from './measure.ts';
import { callOnce, takeTurns, type Caller } from './subjects.ts';

const resource = 'api';

/** Checks through a limiter on Redis, whose counters exist already. */
export async function openChecks(limiter: Limiter, inFlight: number): Promise<Contender> {
  const take = takeTurns();
  const check = async ({ tenant, subject }: Caller) => {
    const asked: Check = { tenant, resource, subject };
    requireExact(await limiter.check(asked));
  };
  await callOnce(check);
  return { inFlight, callsPerRun: 1, run: () => check(take()) };
}

let exact = 0;
let late = 0;

/** A machine that stalls makes a few answers late; were it many, we would measure the fallback. */
function requireExact({ basis, allowed }: Decision): void {
  if (basis === 'exact' && allowed) exact += 1;
  else late += 1;
  if (late > 1000 && late > exact / 100) {
    throw new Error(`${late} of ${exact + late} checks were refused or had no answer in time`);
  }
}
