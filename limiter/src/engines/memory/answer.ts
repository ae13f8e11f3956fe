import { costsByUnit } from '../../core/costs.ts';
import type { Answer, Decided, Question, Reading } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { joined } from '../../core/limit.ts';
import { chargeKeptMs } from '../../core/refundable.ts';
import type { AnswerRecord } from './books.ts';
import { decide, type Outcome, type Weighing } from './decide.ts';
import type { Cell } from './cells.ts';
import type { Desk } from './desk.ts';
import { windowStartOf } from './holds.ts';
import { minuteOf } from './ledger.ts';

const dayUs = 86_400_000_000;
const minuteUs = 60_000_000;

/** Decides one question and writes down what must be known of it later. */
export function answer(desk: Desk, question: Question): Answer {
  const { idempotency, reserve, peek, ledgerLabel } = question;
  const recordId = idempotency && joined([idempotency.scope, idempotency.key]);
  if (recordId !== undefined && !peek) {
    const record = desk.books().records.get(recordId, desk.nowUs);
    if (record && record.fingerprint !== idempotency?.fingerprint) return { kind: 'conflict' };
    if (record) return replayOf(record, question);
  }
  if (!peek) requireRoom(desk, question);
  const decided = decide(desk, question);
  if (!decided.allowed || peek) return decided;
  keepTicket(desk, question, decided);
  if (reserve) keepReservation(desk, question, decided);
  else if (question.refundable) keepCharge(desk, question, decided);
  if (ledgerLabel !== undefined) {
    const warned = decided.readings.some((reading) => reading.verdict !== 'ok');
    const minute = minuteOf(desk.nowUs);
    const outcome = warned ? 'warned' : 'allowed';
    desk.books().ledger.add({ minute, outcome, label: ledgerLabel, count: 1 });
  }
  if (!idempotency || recordId === undefined) return decided;
  const { fingerprint } = idempotency;
  const readings = decided.readings.map(plainReading);
  const record = {
    id: question.id,
    fingerprint,
    layout: layoutOf(question),
    answer: { ...decided, readings },
  };
  const expiresAtUs = desk.nowUs + idempotency.ttlMs * 1000;
  const kept = desk.books().records.set(recordId, record, { expiresAtUs, nowUs: desk.nowUs });
  return kept ? decided : { ...decided, degraded: 'idempotency_full' };
}

/** The first answer; without readings when the question is now asked of other limits. */
function replayOf({ id, answer: first, layout }: AnswerRecord, question: Question): Decided {
  const readings = layout === layoutOf(question) ? first.readings : [];
  return { ...first, readings, replayOf: id };
}

function layoutOf({ limits }: Question): string {
  return joined(limits.map(({ limit }) => limit.counterId));
}

/** Without what the engine needed to make it. */
function plainReading({ verdict, state, held, heldUntilUs, blockedUntilUs }: Reading): Reading {
  return { verdict, state, held, heldUntilUs, blockedUntilUs };
}

function keepTicket(desk: Desk, question: Question, outcome: Outcome): void {
  if (!outcome.readings.some(tookSlot)) return;
  const slots = outcome.readings.filter(tookSlot);
  const lastUs = Math.max(...slots.map(({ cell }) => desk.cells.expiresAtUs(cell as Cell)));
  // A late release still clears the slot away, also for a clock that then goes back.
  const kept = { expiresAtUs: lastUs + minuteUs, nowUs: desk.nowUs };
  desk.books().tickets.set(question.id, { slots: slots.map(({ bound }) => bound) }, kept);
  outcome.ticket = desk.ticketOf(question.id);
}

function tookSlot({ taken, bound }: Weighing): boolean {
  return taken && bound.limit.numbers.algorithm === 'concurrency';
}

/** What could not be remembered could not be given back: better to fail before. */
function requireRoom(desk: Desk, { reserve, limits }: Question): void {
  if (reserve && !desk.books().reservations.hasRoom(desk.nowUs)) {
    throw new StoreFailure('too many open reservations');
  }
  for (const { limit } of limits) {
    if (limit.numbers.algorithm !== 'concurrency') continue;
    if (!desk.books().tickets.hasRoom(desk.nowUs)) throw new StoreFailure('too many open tickets');
  }
}

/** What does not fit is charged all the same, and can't be given back by id. */
function keepCharge(desk: Desk, { id }: Question, { readings }: Outcome): void {
  const charged = readings.filter(({ verdict, bound, taken }) => {
    return verdict === 'ok' && bound.cost > 0 && !taken;
  });
  if (charged.length === 0) return;
  const { nowUs } = desk;
  const limits = charged.map(({ bound }) => bound);
  const expiresAtUs = nowUs + chargeKeptMs(limits) * 1000;
  desk.books().charges.set(id, { limits, chargedAtUs: nowUs }, { expiresAtUs, nowUs });
}

/** Outlives its holds by a day, so that a late settlement still charges the real cost. */
function keepReservation(desk: Desk, question: Question, outcome: Outcome): void {
  const { reserve, id } = question;
  if (!reserve) return;
  const holds = outcome.readings
    .filter((weighing) => weighing.taken && !tookSlot(weighing))
    .map(({ bound, state }) => ({
      bound,
      windowStartUs: windowStartOf(bound.limit.numbers, state),
    }));
  const expiresAtUs = desk.nowUs + reserve.ttlMs * 1000;
  const keep = reserve.onExpiry === 'keep';
  const reserved = question.limits.filter(({ limit, cost }) => {
    return cost > 0 && !limit.global && limit.numbers.algorithm !== 'concurrency';
  });
  const costs = costsByUnit(reserved.map(({ limit, cost }) => ({ unit: limit.unit, cost })));
  const reservation = { holds, costs, keep, expiresAtUs, ttlMs: reserve.ttlMs, settled: null };
  const kept = { expiresAtUs: expiresAtUs + dayUs, nowUs: desk.nowUs };
  desk.books().reservations.set(id, reservation, kept);
  outcome.reservation = { id, expiresAtUs };
}
