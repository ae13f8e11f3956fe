import type { Opaque } from '../../core/algorithms/index.ts';
import { takeSlot, type ConcurrencyState } from '../../core/algorithms/concurrency.ts';
import { blockedUntilUs, forgetAtUs, strike } from '../../core/algorithms/penalty.ts';
import type { BoundLimit, Decided, Question, Reading, Verdict } from '../../core/engine.ts';
import { overflowOf } from '../../core/limit.ts';
import { listOf } from '../../core/list.ts';
import { amountOf } from '../../core/view.ts';
import type { Cell } from './cells.ts';
import type { Desk } from './desk.ts';
import { plantSeed } from './seeds.ts';
import {
  addHold,
  expireHolds,
  heldIn,
  holdsCountUntilUs,
  holdsOf,
  windowStartOf,
  type Holds,
} from './holds.ts';

/** One limit of a question while it is being decided; afterwards, what was seen of it. */
export class Weighing implements Reading {
  /** The limit asked about, or its overflow counter. */
  readonly bound: BoundLimit;
  cell: Cell | undefined;
  state: Opaque;
  held: number;
  heldUntilUs: number;
  blockedUntilUs: number;
  verdict: Verdict;
  /** The question now has a slot here, or a hold. */
  taken: boolean;

  constructor(bound: BoundLimit, cell: Cell | undefined, state: Opaque) {
    this.bound = bound;
    this.cell = cell;
    this.state = state;
    this.held = 0;
    this.heldUntilUs = 0;
    this.blockedUntilUs = 0;
    this.verdict = 'ok';
    this.taken = false;
  }
}

/** What was decided, until it is handed out as an answer. */
export type Outcome = { -readonly [K in Exclude<keyof Decided, 'readings'>]: Decided[K] } & {
  readonly readings: readonly Weighing[];
};

/** Evaluates every limit, then charges all or none: the twin of `decide.lua`. */
export function decide(desk: Desk, question: Question): Outcome {
  const { peek, limits } = question;
  const { cells, nowUs } = desk;
  const { removals } = cells;
  const readings = listOf<Weighing>(limits.length);
  for (let at = 0; at < limits.length; at += 1) {
    readings[at] = weigh(desk, limits[at] as BoundLimit, peek);
  }
  // Making room for a later limit of the question may have swept an earlier one away.
  if (cells.removals !== removals) for (const weighing of readings) findAgain(desk, weighing);
  const outcome = outcomeOf(nowUs, readings);
  for (let at = 0; at < readings.length; at += 1) {
    const weighing = readings[at] as Weighing;
    if (weighing.bound !== limits[at]) outcome.degraded = 'overflow';
    if (weighing.verdict !== 'ok' && weighing.bound.limit.enforced) outcome.allowed = false;
  }
  for (let at = 0; at < readings.length; at += 1) {
    const weighing = readings[at] as Weighing;
    if (!peek) commit(desk, question, outcome.allowed, weighing);
    finish(desk, weighing);
  }
  return outcome;
}

function outcomeOf(nowUs: number, readings: readonly Weighing[]): Outcome {
  return {
    kind: 'decided',
    allowed: true,
    nowUs,
    readings,
    replayOf: null,
    ticket: null,
    reservation: null,
    degraded: null,
  };
}

function findAgain({ cells, tenant }: Desk, weighing: Weighing): void {
  weighing.cell = cells.find(tenant, weighing.bound);
}

export function weigh(desk: Desk, asked: BoundLimit, peek: boolean): Weighing {
  const { cells, tenant, nowUs } = desk;
  if (desk.seeds.waiting) plantSeed(desk, asked);
  let bound = asked;
  let cell = cells.find(tenant, bound);
  if (cell === undefined && !peek && !cells.hasRoom(tenant, bound, nowUs)) {
    bound = { limit: overflowOf(bound.limit), parts: [], cost: bound.cost };
    cell = cells.find(tenant, bound);
  }
  const { algorithm, numbers } = bound.limit;
  const extras = cell === undefined ? undefined : cells.extrasOf(cell);
  if (cell !== undefined && extras?.holds) expireHolds(desk, bound, cell);
  const stored = cell === undefined ? undefined : cells.stateOf(cell, bound.limit);
  const weighing = new Weighing(bound, cell, algorithm.load(numbers, stored, nowUs));
  if (extras?.holds) readHolds(weighing, extras.holds);
  if (extras?.penalty) weighing.blockedUntilUs = blockedUntilUs(extras.penalty, nowUs);
  weighing.verdict = verdictOn(weighing, peek, nowUs);
  return weighing;
}

function readHolds(weighing: Weighing, holds: Holds): void {
  const { numbers } = weighing.bound.limit;
  const { held, heldUntilUs } = heldIn(holds, windowStartOf(numbers, weighing.state));
  weighing.held = held;
  weighing.heldUntilUs = heldUntilUs;
}

function verdictOn(
  { bound, state, held, blockedUntilUs: blocked }: Weighing,
  peek: boolean,
  nowUs: number,
): Verdict {
  const { algorithm, numbers, size } = bound.limit;
  const amount = amountOf(bound.limit, bound.cost);
  if (amount > size) return 'impossible';
  if (blocked > 0 && (amount > 0 || peek)) return 'penalty';
  if (amount > 0) return algorithm.admits(numbers, state, amount + held, nowUs) ? 'ok' : 'exceeded';
  return peek && isInDebt(bound, state, nowUs) ? 'exceeded' : 'ok';
}

/** More is used than there is: nothing may be taken until that is made up for. */
function isInDebt({ limit }: BoundLimit, state: Opaque, nowUs: number): boolean {
  if (limit.numbers.algorithm === 'concurrency') return false;
  return !limit.algorithm.admits(limit.numbers, state, 0, nowUs);
}

function commit(desk: Desk, question: Question, allowed: boolean, weighing: Weighing): void {
  const { bound, verdict } = weighing;
  const { limit } = bound;
  const { nowUs } = desk;
  if (verdict === 'exceeded' && limit.penalty) punish(desk, weighing);
  if (verdict !== 'ok' || bound.cost === 0) return;
  const reserve = limit.global ? undefined : question.reserve;
  const taken = limit.numbers.algorithm === 'concurrency' || reserve !== undefined;
  // Slots and holds are given back by whoever was let in; nobody would give back the others.
  if (!allowed && (limit.enforced || taken)) return;
  weighing.taken = taken;
  const cell = cellOf(desk, weighing);
  if (limit.numbers.algorithm === 'concurrency') {
    const expiresAtUs = nowUs + limit.numbers.staleAfterUs;
    takeSlot(weighing.state as ConcurrencyState, { id: question.id, expiresAtUs }, nowUs);
  } else if (reserve) {
    const { ttlMs, onExpiry } = reserve;
    addHold(holdsOf(desk, cell), question.id, {
      cost: bound.cost,
      expiresAtUs: nowUs + ttlMs * 1000,
      windowStartUs: windowStartOf(limit.numbers, weighing.state),
      keep: onExpiry === 'keep',
    });
    desk.cells.keepUntil(cell, holdsCountUntilUs(bound, nowUs + ttlMs * 1000));
  } else {
    weighing.state = limit.algorithm.charge(limit.numbers, weighing.state, bound.cost, nowUs);
  }
  const holds = desk.cells.extrasOf(cell)?.holds;
  if (holds) holds.inForce = limit;
  store(desk, bound, cell, weighing.state);
}

function punish(desk: Desk, weighing: Weighing): void {
  const { penalty } = weighing.bound.limit;
  if (!penalty) return;
  const cell = cellOf(desk, weighing);
  const extras = desk.cells.needExtras(cell);
  extras.penalty = strike(penalty, extras.penalty, desk.nowUs);
  desk.cells.keepUntil(cell, forgetAtUs(extras.penalty));
  weighing.blockedUntilUs = extras.penalty.untilUs;
}

function cellOf({ cells, tenant }: Desk, weighing: Weighing): Cell {
  return (weighing.cell ??= cells.make(tenant, weighing.bound));
}

export function store({ cells }: Desk, { limit }: BoundLimit, cell: Cell, state: Opaque): void {
  cells.setState(cell, limit, state);
  cells.keepUntil(cell, limit.algorithm.expiresAtUs(limit.numbers, state));
}

/** Turns what was weighed into what is shown of it, as it is after the decision. */
export function finish({ cells, nowUs }: Desk, weighing: Weighing): Reading {
  const { cell, bound } = weighing;
  const { algorithm, numbers } = bound.limit;
  const holds = cell === undefined ? undefined : cells.extrasOf(cell)?.holds;
  if (holds) readHolds(weighing, holds);
  const amount = amountOf(bound.limit, bound.cost) + weighing.held;
  weighing.state = algorithm.read(numbers, weighing.state, amount, nowUs);
  return weighing;
}
