import type {
  Answer,
  BoundLimit,
  Decided,
  Engine,
  Question,
} from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { limitOf } from '../support/limits.ts';
import type { Allowances } from '../../limiter/src/engines/redis/encode.ts';
import type { ClusterNode } from '../servers/redis-cluster.ts';

/** Where the race takes place. */
export type Target = {
  readonly redisUrl?: string;
  readonly clusterNodes?: readonly ClusterNode[];
  readonly prefix: string;
  readonly allowances?: Allowances;
};

/** All checks on one counter. */
export type SingleJob = { readonly kind: 'single'; readonly checks: number } & Asked;
/** Every check names a branch of tenant, team and user; few users make most of the calls. */
export type TreeJob = {
  readonly kind: 'tree';
  readonly checks: number;
  readonly levels: readonly [tenant: LimitInput, team: LimitInput, user: LimitInput];
};
/** Many tenants, a few of them with most of the calls. */
export type TenantsJob = {
  readonly kind: 'tenants';
  readonly checks: number;
  readonly tenants: number;
} & Asked;
/** Every key many times at once, all processes the same keys in the same order. */
export type IdempotencyJob = {
  readonly kind: 'idempotency';
  readonly keys: number;
  readonly copies: number;
  /** Processes with different ones ask different questions under the same keys. */
  readonly fingerprints: readonly string[];
} & Asked;

/** Every tenant asks for what all of them share, and for what is its own. */
export type GlobalJob = {
  readonly kind: 'global';
  readonly checks: number;
  readonly tenants: number;
  readonly shared: LimitInput;
  readonly own: LimitInput;
};
/** One counter, and costs of which few are most: some are more than it could ever hold. */
export type WeightedJob = {
  readonly kind: 'weighted';
  readonly checks: number;
  readonly costMax: number;
} & Asked;

type Asked = { readonly limit: LimitInput };

export type Job = SingleJob | TreeJob | TenantsJob | IdempotencyJob | GlobalJob | WeightedJob;

/** What was admitted, and how often each verdict was given for what it cost. */
export type WeightedResult = {
  admitted: number;
  firstUs: number;
  lastUs: number;
  impossible: number;
  possibleCalledImpossible: number;
  impossibleAdmitted: number;
  largest: number;
};
export type SingleResult = { admitted: number; firstUs: number; lastUs: number };
/** What was admitted, by the text of the parts that were counted. */
export type Tally = { asked: Record<string, number>; admitted: Record<string, number> };
export type KeyOutcome = {
  ids: string[];
  fingerprints: string[];
  charged: number;
  replayed: number;
  refused: number;
  conflicts: number;
};
export type IdempotencyResult = Record<string, KeyOutcome>;

export type JobResult<J extends Job = Job> = J extends SingleJob
  ? SingleResult
  : J extends TreeJob | TenantsJob | GlobalJob
    ? Tally
    : J extends WeightedJob
      ? WeightedResult
      : IdempotencyResult;

export type JobContext = {
  readonly engine: Engine;
  readonly random: () => number;
  readonly seed: number;
};

const inFlightMax = 64;
export const raceTenant = { id: 'race' };
export const teamCount = 10;
export const userCount = 100;

export function prepareJob(job: Job, context: JobContext): () => Promise<JobResult> {
  switch (job.kind) {
    case 'single':
      return () => single(job, context);
    case 'tree':
      return () => tree(job, context);
    case 'tenants':
      return () => tenants(job, context);
    case 'idempotency':
      return () => idempotency(job, context);
    case 'global':
      return () => global(job, context);
    case 'weighted':
      return () => weighted(job, context);
  }
}

async function single({ checks, limit }: SingleJob, context: JobContext): Promise<SingleResult> {
  const result: SingleResult = { admitted: 0, firstUs: Infinity, lastUs: 0 };
  const bound = { limit: limitOf(limit), parts: ['one'], cost: 1 };
  await inFlight(checks, async (at) => {
    const answer = decidedOf(await ask(context, raceTenant.id, { at, limits: [bound] }));
    if (answer.allowed) result.admitted += 1;
    result.firstUs = Math.min(result.firstUs, answer.nowUs);
    result.lastUs = Math.max(result.lastUs, answer.nowUs);
  });
  return result;
}

async function tree({ checks, levels }: TreeJob, context: JobContext): Promise<Tally> {
  const tally: Tally = { asked: {}, admitted: {} };
  const limits = levels.map(limitOf);
  await inFlight(checks, async (at) => {
    const user = Math.floor(userCount * context.random() ** 2);
    const cost = 1 + Math.floor(context.random() * 3);
    const bound = limits.map((limit, level) => ({
      limit,
      parts: branchOf(user)[level] ?? [],
      cost,
    }));
    const answer = decidedOf(await ask(context, raceTenant.id, { at, limits: bound }));
    for (const { parts } of bound) count(tally, parts.join('/'), cost, answer.allowed);
  });
  return tally;
}

/** The parts of the counters that a user's calls are counted on, from the widest level. */
export function branchOf(user: number): readonly (readonly string[])[] {
  const team = `team-${Math.floor((user * teamCount) / userCount)}`;
  return [[], [team], [team, `user-${user}`]];
}

async function tenants(job: TenantsJob, context: JobContext): Promise<Tally> {
  const tally: Tally = { asked: {}, admitted: {} };
  const limits = [{ limit: limitOf(job.limit), parts: ['one'], cost: 1 }];
  await inFlight(job.checks, async (at) => {
    const tenant = `tenant-${Math.floor(job.tenants * context.random() ** 3)}`;
    const answer = decidedOf(await ask(context, tenant, { at, limits }));
    count(tally, tenant, 1, answer.allowed);
  });
  return tally;
}

async function global(job: GlobalJob, context: JobContext): Promise<Tally> {
  const tally: Tally = { asked: {}, admitted: {} };
  const limits = [
    { limit: limitOf(job.own), parts: [], cost: 1 },
    { limit: limitOf(job.shared), parts: [], cost: 1 },
  ];
  await inFlight(job.checks, async (at) => {
    const tenant = `tenant-${Math.floor(job.tenants * context.random())}`;
    const answer = decidedOf(await ask(context, tenant, { at, limits }));
    count(tally, tenant, 1, answer.allowed);
  });
  return tally;
}

async function weighted(job: WeightedJob, context: JobContext): Promise<WeightedResult> {
  const result: WeightedResult = {
    admitted: 0,
    firstUs: Infinity,
    lastUs: 0,
    impossible: 0,
    possibleCalledImpossible: 0,
    impossibleAdmitted: 0,
    largest: 0,
  };
  const limit = limitOf(job.limit);
  await inFlight(job.checks, async (at) => {
    const cost = heavyTailed(context.random(), job.costMax);
    const limits = [{ limit, parts: ['one'], cost }];
    const { allowed, nowUs, readings } = decidedOf(
      await ask(context, raceTenant.id, { at, limits }),
    );
    const isImpossible = readings[0]?.verdict === 'impossible';
    if (allowed) result.admitted += cost;
    if (isImpossible) result.impossible += 1;
    if (isImpossible && cost <= limit.size) result.possibleCalledImpossible += 1;
    if (allowed && cost > limit.size) result.impossibleAdmitted += 1;
    result.largest = Math.max(result.largest, cost);
    result.firstUs = Math.min(result.firstUs, nowUs);
    result.lastUs = Math.max(result.lastUs, nowUs);
  });
  return result;
}

/** From 1 to the most: half of the calls cost one, one in a hundred costs a hundred or more. */
function heavyTailed(roll: number, max: number): number {
  return Math.min(max, Math.max(1, Math.floor(1 / (1 - roll * (1 - 1 / max)))));
}

async function idempotency(job: IdempotencyJob, context: JobContext): Promise<IdempotencyResult> {
  const outcomes: IdempotencyResult = {};
  const limits = [{ limit: limitOf(job.limit), parts: ['one'], cost: 1 }];
  const fingerprint = job.fingerprints[context.seed % job.fingerprints.length] ?? '';
  await inFlight(job.keys * job.copies, async (at) => {
    const key = `key-${Math.floor(at / job.copies)}`;
    const record = { scope: 'a-subject', key, fingerprint, ttlMs: 600_000 };
    const answer = await ask(context, raceTenant.id, { at, limits, idempotency: record });
    noteOutcome((outcomes[key] ??= newOutcome()), answer, { id: idOf(at), fingerprint });
  });
  return outcomes;
}

function newOutcome(): KeyOutcome {
  return { ids: [], fingerprints: [], charged: 0, replayed: 0, refused: 0, conflicts: 0 };
}

function noteOutcome(
  outcome: KeyOutcome,
  answer: Answer,
  { id, fingerprint }: { readonly id: string; readonly fingerprint: string },
): void {
  if (answer.kind === 'conflict') {
    outcome.conflicts += 1;
    return;
  }
  if (!answer.allowed) outcome.refused += 1;
  else if (answer.replayOf !== null) outcome.replayed += 1;
  else outcome.charged += 1;
  const charged = answer.replayOf ?? id;
  if (!outcome.ids.includes(charged)) outcome.ids.push(charged);
  if (!outcome.fingerprints.includes(fingerprint)) outcome.fingerprints.push(fingerprint);
}

function count({ asked, admitted }: Tally, name: string, cost: number, allowed: boolean): void {
  asked[name] = (asked[name] ?? 0) + cost;
  if (allowed) admitted[name] = (admitted[name] ?? 0) + cost;
}

type Asking = {
  readonly at: number;
  readonly limits: readonly BoundLimit[];
  readonly idempotency?: Question['idempotency'];
};

async function ask(
  { engine }: JobContext,
  tenant: string,
  { at, limits, idempotency }: Asking,
): Promise<Answer> {
  const question = { id: idOf(at), limits, peek: false, idempotency };
  const result = await engine.decide({ tenant: { id: tenant }, questions: [question] });
  const answer = result.kind === 'answered' ? result.answers[0] : undefined;
  if (!answer) throw new Error(`not answered: ${result.kind}`);
  return answer;
}

function idOf(at: number): string {
  return `q-${process.pid}-${at}`;
}

function decidedOf(answer: Answer): Decided {
  if (answer.kind !== 'decided') throw new Error(`not decided: ${answer.kind}`);
  return answer;
}

/** Calls `step` with 0, 1, 2, … keeping a fixed number of them open until all are done. */
async function inFlight(total: number, step: (at: number) => Promise<void>): Promise<void> {
  let started = 0;
  const lane = async () => {
    while (started < total) {
      const at = started;
      started += 1;
      await step(at);
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, lane));
}
