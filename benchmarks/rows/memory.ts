import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLimiter, type Decision } from 'sluice';
import { flexibleDurationS, flexiblePoints } from '../flexible.ts';
import { bucket, bucketCapacity, bucketIntervalMs } from '../limits.ts';
import { measure, type Contender, type Pace } from '../measure.ts';
import { callers, takeTurns } from '../subjects.ts';
import { lineOf, type Line } from '../table.ts';

const callsPerRun = 1_000;
const resource = 'api';

/** Whatever was read ends up here, so that no compiler leaves the reading out. */
let sink = 0;

/** Rows 1 and 2: one token bucket in process. */
export async function measureMemory(pace: Pace, only: ReadonlySet<number>): Promise<Line[]> {
  const contenders = {
    full: openSluice(readFully),
    brief: openSluice(readBriefly),
    bare: openBareMap(),
    flexible: openFlexibleMemory(),
  };
  const { full, brief, bare, flexible } = await measure(contenders, pace);
  if (!Number.isFinite(sink)) throw new Error('a decision was not made of numbers');
  const againstBare = { row: 1, against: 'bare Map loop', toReach: { atLeast: 0.3 } };
  const againstFlexible = { row: 2, against: 'rate-limiter-flexible', toReach: { atLeast: 2 } };
  const lines = [
    { ...againstBare, read: 'whole decision', subject: full, baseline: bare },
    { ...againstBare, read: 'two fields', subject: brief, baseline: bare },
    { ...againstFlexible, read: 'whole decision', subject: full, baseline: flexible },
    { ...againstFlexible, read: 'two fields', subject: brief, baseline: flexible },
  ];
  return lines
    .filter(({ row }) => only.has(row))
    .map(({ read, ...said }) =>
      lineOf({ ...said, what: `memory engine, token bucket, ${read} read` }),
    );
}

/** What a middleware reads: the verdict, every header and one limit of the list. */
function readFully(decision: Decision): number {
  const { allowed, limit, remaining, resetAt, retryAfterMs } = decision;
  const first = decision.limits[0]?.remaining ?? 0;
  return (
    (allowed ? 1 : 0) +
    (limit ?? 0) +
    (remaining ?? 0) +
    (resetAt ?? 0) +
    (retryAfterMs ?? 0) +
    first
  );
}

function readBriefly({ allowed, remaining }: Decision): number {
  return (allowed ? 1 : 0) + (remaining ?? 0);
}

function openSluice(read: (decision: Decision) => number): Contender {
  const limiter = createLimiter({ limits: [bucket] });
  const take = takeTurns();
  for (const { subject } of callers) limiter.checkSync({ resource, subject });
  const run = () => {
    for (let call = 0; call < callsPerRun; call += 1) {
      sink += read(limiter.checkSync({ resource, subject: take().subject }));
    }
  };
  return { inFlight: 1, callsPerRun, run };
}

/** The clock of the memory engine. */
const { performance } = globalThis;
const originUs = Math.round(performance.timeOrigin * 1000);
const systemClock = () => originUs + Math.floor(performance.now() * 1000);

/** The least anybody could do: one number per subject, and the sums of a token bucket. */
function openBareMap(): Contender {
  const emptyAgainAtUs = new Map<string, number>();
  const intervalUs = bucketIntervalMs * 1000;
  const fillUs = bucketCapacity * intervalUs;
  const take = takeTurns();
  const check = (subject: string): number => {
    const nowUs = systemClock();
    const fromUs = Math.max(emptyAgainAtUs.get(subject) ?? 0, nowUs);
    const chargedUs = fromUs + intervalUs;
    const waitUs = chargedUs - fillUs - nowUs;
    const allowed = waitUs <= 0;
    if (allowed) emptyAgainAtUs.set(subject, chargedUs);
    const untilUs = allowed ? chargedUs : fromUs;
    const remaining = Math.floor((fillUs - (untilUs - nowUs)) / intervalUs);
    const resetAt = Math.ceil(untilUs / 1_000_000);
    const retryAfterMs = allowed ? 0 : waitUs / 1000;
    return (allowed ? 1 : 0) + remaining + resetAt + retryAfterMs;
  };
  for (const { subject } of callers) sink += check(subject);
  const run = () => {
    for (let call = 0; call < callsPerRun; call += 1) sink += check(take().subject);
  };
  return { inFlight: 1, callsPerRun, run };
}

function openFlexibleMemory(): Contender {
  const limiter = new RateLimiterMemory({ points: flexiblePoints, duration: flexibleDurationS });
  const take = takeTurns();
  const run = async () => {
    for (let call = 0; call < callsPerRun; call += 1) {
      const { remainingPoints, msBeforeNext } = await limiter.consume(take().subject);
      sink += remainingPoints + msBeforeNext;
    }
  };
  return { inFlight: 1, callsPerRun, run };
}
