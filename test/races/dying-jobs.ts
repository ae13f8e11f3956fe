// Jobs in which some die: what they held must come back, and what others hold must not be lost.

import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { view } from '../../limiter/src/core/view.ts';
import { bound, limitOf } from '../support/limits.ts';
import { ask, decidedOf, inFlight, raceTenant, type JobContext } from './asking.ts';

/** Makes reservations, and does nothing about them. */
export type HoldJob = {
  readonly kind: 'hold';
  readonly count: number;
  readonly ttlMs: number;
} & Of;
/** Asks all the time, for so long on the store's clock. */
export type BusyJob = { readonly kind: 'busy'; readonly forMs: number } & Of;
/** Takes slots, keeps them by heartbeats for so long, and gives them back. */
export type SlotsJob = {
  readonly kind: 'slots';
  readonly count: number;
  readonly beatEveryMs: number;
  readonly forMs: number;
} & Of;
/** Takes a slot whenever there is one, and gives it back at once. */
export type ChurnJob = { readonly kind: 'churn'; readonly forMs: number } & Of;

type Of = { readonly limit: LimitInput };

export type HoldResult = { refused: number; lastUs: number };
export type BusyResult = {
  admitted: number;
  refused: number;
  /** The most that was seen held, and when something last was. */
  heldMax: number;
  lastHeldUs: number;
  lastUs: number;
};
export type SlotsResult = {
  taken: number;
  released: number;
  /** Gone although they were renewed in time. */
  lost: number;
  /** Gone because this process was not let run for as long as they live. */
  starved: number;
};
export type ChurnResult = { samples: number; usedMax: number; admitted: number };

export async function hold(job: HoldJob, context: JobContext): Promise<HoldResult> {
  const result: HoldResult = { refused: 0, lastUs: 0 };
  const limits = [bound(limitOf(job.limit))];
  const reserve = { ttlMs: job.ttlMs, onExpiry: 'refund' } as const;
  await inFlight(job.count, async (at) => {
    const answer = decidedOf(await ask(context, raceTenant.id, { at, limits, reserve }));
    if (!answer.reservation) result.refused += 1;
    result.lastUs = Math.max(result.lastUs, answer.reservation?.expiresAtUs ?? 0);
  });
  return result;
}

const busyLanes = 8;

export async function busy(job: BusyJob, context: JobContext): Promise<BusyResult> {
  const result: BusyResult = { admitted: 0, refused: 0, heldMax: 0, lastHeldUs: 0, lastUs: 0 };
  const limits = [bound(limitOf(job.limit))];
  const untilUs = (await context.engine.inspect(raceTenant, limits)).nowUs + job.forMs * 1000;
  let asked = 0;
  const lane = async () => {
    while (result.lastUs < untilUs) {
      asked += 1;
      const answer = decidedOf(await ask(context, raceTenant.id, { at: asked, limits }));
      const held = answer.readings[0]?.held ?? 0;
      if (answer.allowed) result.admitted += 1;
      else result.refused += 1;
      result.heldMax = Math.max(result.heldMax, held);
      if (held > 0) result.lastHeldUs = Math.max(result.lastHeldUs, answer.nowUs);
      result.lastUs = Math.max(result.lastUs, answer.nowUs);
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: busyLanes }, lane));
  return result;
}

export async function slots(job: SlotsJob, context: JobContext): Promise<SlotsResult> {
  const { engine } = context;
  const result: SlotsResult = { taken: 0, released: 0, lost: 0, starved: 0 };
  const one = bound(limitOf(job.limit));
  const untilUs = new Map<string, number>();
  // At once, so that none runs out before the last is taken.
  await inFlight(job.count, async (at) => {
    const answer = decidedOf(await ask(context, raceTenant.id, { at, limits: [one] }));
    if (answer.ticket === null) return;
    result.taken += 1;
    untilUs.set(answer.ticket, answer.nowUs);
  });
  const isGone = async (ticket: string) => {
    const { nowUs } = await engine.inspect(raceTenant, [one]);
    if (nowUs < (untilUs.get(ticket) ?? 0)) result.lost += 1;
    else result.starved += 1;
    untilUs.delete(ticket);
  };
  const endMs = performance.now() + job.forMs;
  while (performance.now() < endMs) {
    for (const ticket of untilUs.keys()) {
      const beat = await engine.heartbeat(raceTenant, { ticket });
      if (beat.kind === 'held') untilUs.set(ticket, beat.untilUs);
      else await isGone(ticket);
    }
    await pause(job.beatEveryMs);
  }
  for (const ticket of untilUs.keys()) {
    if ((await engine.release(raceTenant, ticket)) === 'released') result.released += 1;
    else await isGone(ticket);
  }
  return result;
}

export async function churn(job: ChurnJob, context: JobContext): Promise<ChurnResult> {
  const { engine } = context;
  const result: ChurnResult = { samples: 0, usedMax: 0, admitted: 0 };
  const one = bound(limitOf(job.limit));
  const endMs = performance.now() + job.forMs;
  for (let at = 0; performance.now() < endMs; at += 1) {
    const answer = decidedOf(await ask(context, raceTenant.id, { at, limits: [one] }));
    const [reading] = answer.readings;
    result.samples += 1;
    if (reading) result.usedMax = Math.max(result.usedMax, view(one, reading, answer.nowUs).used);
    if (answer.ticket !== null) {
      result.admitted += 1;
      await engine.release(raceTenant, answer.ticket);
    }
    await nextTurn();
  }
  return result;
}

/** In memory nothing ever waits: others must be let run, and time must pass. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What is used and held of the limit, on the store's clock. */
export async function lookAt(engine: Engine, input: LimitInput) {
  const one = bound(limitOf(input));
  const { nowUs, readings } = await engine.inspect(raceTenant, [one]);
  const [reading] = readings;
  if (!reading) throw new Error('the counter was not read');
  return { nowUs, held: reading.held, used: view(one, reading, nowUs).used };
}
