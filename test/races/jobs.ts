import type { Answer, Reserve } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { limitOf } from '../support/limits.ts';
import type { Allowances } from '../../limiter/src/engines/redis/slot-call.ts';
import type { ClusterNode } from '../servers/redis-cluster.ts';
import {
  ask,
  decidedOf,
  idOf,
  inFlight,
  raceTenant,
  wholeText,
  type JobContext,
} from './asking.ts';

import {
  busy,
  churn,
  hold,
  slots,
  type BusyJob,
  type BusyResult,
  type ChurnJob,
  type ChurnResult,
  type HoldJob,
  type HoldResult,
  type SlotsJob,
  type SlotsResult,
} from './dying-jobs.ts';
import { keepLedger, type LedgerJob } from './ledger/job.ts';
import {
  reserveMany,
  settleMany,
  type ReserveJob,
  type ReserveResult,
  type SettleJob,
  type SettleTold,
} from './settling-jobs.ts';

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
/** Many tenants, a few of them with most of the calls: by Zipf's law where that is asked for. */
export type TenantsJob = {
  readonly kind: 'tenants';
  readonly checks: number;
  readonly tenants: number;
  readonly spread?: 'zipf';
} & Asked;
/** Every key many times at once, all processes the same keys in the same order. */
export type IdempotencyJob = {
  readonly kind: 'idempotency';
  readonly keys: number;
  readonly copies: number;
  /** Processes with different ones ask different questions under the same keys. */
  readonly fingerprints: readonly string[];
  /** Under every other key a slot of this limit is taken as well, and the cost is reserved. */
  readonly slots: LimitInput;
  readonly reserve: Reserve;
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

export type Job =
  | SingleJob
  | TreeJob
  | TenantsJob
  | IdempotencyJob
  | GlobalJob
  | WeightedJob
  | ReserveJob
  | SettleJob
  | HoldJob
  | BusyJob
  | SlotsJob
  | ChurnJob
  | LedgerJob;

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
  /** Every different answer, whole. */
  answers: string[];
  fingerprints: string[];
  charged: number;
  replayed: number;
  refused: number;
  conflicts: number;
};
export type IdempotencyResult = Record<string, KeyOutcome>;

type Results = {
  readonly single: SingleResult;
  readonly tree: Tally;
  readonly tenants: Tally;
  readonly global: Tally;
  readonly weighted: WeightedResult;
  readonly idempotency: IdempotencyResult;
  readonly reserve: ReserveResult;
  readonly settle: readonly SettleTold[];
  readonly hold: HoldResult;
  readonly busy: BusyResult;
  readonly slots: SlotsResult;
  readonly churn: ChurnResult;
  /** The steps that were taken; what they did is in the journal. */
  readonly ledger: number;
};

export type JobResult<J extends Job = Job> = Results[J['kind']];

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
    case 'reserve':
      return () => reserveMany(job, context);
    case 'settle':
      return () => settleMany(job, context);
    case 'hold':
      return () => hold(job, context);
    case 'busy':
      return () => busy(job, context);
    case 'slots':
      return () => slots(job, context);
    case 'churn':
      return () => churn(job, context);
    case 'ledger':
      return () => keepLedger(job, context);
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
    const roll = context.random();
    const rank = job.spread === 'zipf' ? (job.tenants + 1) ** roll - 1 : job.tenants * roll ** 3;
    const tenant = `tenant-${Math.floor(rank)}`;
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
  const charged = { limit: limitOf(job.limit), parts: ['one'], cost: 1 };
  const taken = { limit: limitOf(job.slots), parts: ['one'], cost: 1 };
  const fingerprint = job.fingerprints[context.seed % job.fingerprints.length] ?? '';
  await inFlight(job.keys * job.copies, async (at) => {
    const number = Math.floor(at / job.copies);
    const key = `key-${number}`;
    const holding = number % 2 === 1;
    const answer = await ask(context, raceTenant.id, {
      at,
      limits: holding ? [charged, taken] : [charged],
      reserve: holding ? job.reserve : undefined,
      idempotency: { scope: 'a-subject', key, fingerprint, ttlMs: 600_000 },
    });
    noteOutcome((outcomes[key] ??= newOutcome()), answer, { id: idOf(context, at), fingerprint });
  });
  return outcomes;
}

function newOutcome(): KeyOutcome {
  const told = { ids: [], answers: [], fingerprints: [] };
  return { ...told, charged: 0, replayed: 0, refused: 0, conflicts: 0 };
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
  addNew(outcome.ids, answer.replayOf ?? id);
  addNew(outcome.answers, wholeText(answer, id));
  addNew(outcome.fingerprints, fingerprint);
}

function addNew(list: string[], text: string): void {
  if (!list.includes(text)) list.push(text);
}

function count({ asked, admitted }: Tally, name: string, cost: number, allowed: boolean): void {
  asked[name] = (asked[name] ?? 0) + cost;
  if (allowed) admitted[name] = (admitted[name] ?? 0) + cost;
}
