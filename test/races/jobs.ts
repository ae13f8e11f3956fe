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

type Asked = { readonly limit: LimitInput };

export type Job = SingleJob | TreeJob | TenantsJob | IdempotencyJob;

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
  : J extends TreeJob | TenantsJob
    ? Tally
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
