import { createLimiter, type Check, type Decision, type LimitInput } from 'sluice';
import type { Redis } from 'ioredis';
import type { Contender } from './measure.ts';
import { callOnce, takeTurns, type Caller } from './subjects.ts';

const resource = 'api';

/** Above the default, for on a busy machine Redis alone may wait that long for a processor. */
const deadlineMs = 250;

export type Checked = {
  readonly redis: Redis;
  readonly limits: readonly LimitInput[];
  /** One each, so that contenders on one server share no counter. */
  readonly name: string;
  readonly inFlight: number;
  /** Of one tenant calls travel together; of many, as here, hardly. */
  readonly tenants: 'one' | 'many';
};

/** Checks through a limiter on Redis, whose counters exist already. */
export async function openChecks({ inFlight, tenants, ...options }: Checked): Promise<Contender> {
  const limiter = createLimiter({ ...options, deadlineMs });
  const take = takeTurns();
  const check = async ({ tenant, subject }: Caller) => {
    const asked: Check = tenants === 'one' ? { resource, subject } : { tenant, resource, subject };
    count(await limiter.check(asked));
  };
  await callOnce(check);
  return { inFlight, callsPerRun: 1, run: () => check(take()) };
}

let exact = 0;
let late = 0;

function count({ basis, allowed }: Decision): void {
  if (!allowed) throw new Error('a check was refused');
  if (basis === 'exact') exact += 1;
  else late += 1;
}

/** Were more of the answers late than a stall explains, we would have measured the fallback. */
export function requireExact(): void {
  if (late > (exact + late) / 50) {
    throw new Error(`${late} of ${exact + late} checks had no answer in ${deadlineMs} ms`);
  }
}
