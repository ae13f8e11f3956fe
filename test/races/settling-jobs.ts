import type { Reserve } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { limitOf } from '../support/limits.ts';
import { answerTo, decidedOf, inFlight, raceTenant, type JobContext } from './asking.ts';
import { processCount } from './running-count.ts';

/** Reservations that all processes know by number; each makes its share of them. */
export type ReserveJob = {
  readonly kind: 'reserve';
  readonly count: number;
  readonly limits: readonly LimitInput[];
};

/** Every reservation is settled by some of the processes, each with a cost of its own. */
export type SettleJob = {
  readonly kind: 'settle';
  readonly count: number;
  readonly copies: number;
};

export type ReserveResult = { refused: number; lastLateUs: number };

export type SettleTold = {
  readonly number: number;
  readonly claimed: UnitCosts;
  readonly kind: 'settled' | 'repeated' | 'unknown';
  readonly late: boolean;
  readonly costs: Readonly<Record<string, number>>;
};

export type UnitCosts = { readonly requests: number; readonly tokens: number };

/** One in ten runs out at once, and is settled after that. */
export function isLate(number: number): boolean {
  return number % 10 === 0;
}

export function reservedOf(number: number): UnitCosts {
  return { requests: 1 + (number % 5), tokens: 10 + (number % 20) };
}

function reserveOf(number: number): Reserve {
  const onExpiry = Math.floor(number / 10) % 2 === 0 ? 'keep' : 'refund';
  return { ttlMs: isLate(number) ? 1 : 600_000, onExpiry };
}

/** Less, equal and more than was reserved, and nothing; no two processes claim the same. */
function claimedBy(seed: number, number: number): UnitCosts {
  return { requests: (number * 7 + seed) % 9, tokens: (number * 3 + seed * 5) % 60 };
}

export async function reserveMany(job: ReserveJob, context: JobContext): Promise<ReserveResult> {
  const result: ReserveResult = { refused: 0, lastLateUs: 0 };
  const limits = job.limits.map(limitOf);
  await inFlight(Math.ceil(job.count / processCount), async (at) => {
    const number = at * processCount + context.seed;
    if (number >= job.count) return;
    const costs = reservedOf(number);
    const answer = decidedOf(
      await answerTo(context.engine, raceTenant.id, {
        id: idOf(number),
        limits: limits.map((limit) => ({ limit, parts: [], cost: costOf(costs, limit.unit) })),
        peek: false,
        reserve: reserveOf(number),
      }),
    );
    if (!answer.allowed) result.refused += 1;
    if (!isLate(number)) return;
    result.lastLateUs = Math.max(result.lastLateUs, answer.reservation?.expiresAtUs ?? 0);
  });
  return result;
}

export async function settleMany(job: SettleJob, context: JobContext): Promise<SettleTold[]> {
  const told: SettleTold[] = [];
  const { engine, seed } = context;
  await inFlight(job.count, async (number) => {
    if ((number + seed) % processCount >= job.copies) return;
    const claimed = claimedBy(seed, number);
    const settlement = { reservationId: idOf(number), costs: claimed };
    const result = await engine.settle(raceTenant, settlement);
    const { late, costs } = result.kind === 'unknown' ? { late: false, costs: {} } : result;
    told.push({ number, claimed, kind: result.kind, late, costs: { ...costs } });
  });
  return told;
}

function costOf(costs: UnitCosts, unit: string): number {
  return unit === 'tokens' ? costs.tokens : costs.requests;
}

function idOf(number: number): string {
  return `r-${number}`;
}
