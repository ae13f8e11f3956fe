import type { Opaque } from '../../core/algorithms/index.ts';
import { takeSlot, type ConcurrencyState } from '../../core/algorithms/concurrency.ts';
import { blockedUntilUs, forgetAtUs, strike } from '../../core/algorithms/penalty.ts';
import type { BoundLimit, Question, Reading, Verdict } from '../../core/engine.ts';
import { overflowOf } from '../../core/limit.ts';
import { amountOf } from '../../core/view.ts';
import { removed, type Cell } from './cells.ts';
import type { Desk } from './desk.ts';
import {
  addHold,
  expireHolds,
  heldIn,
  holdsCountUntilUs,
  newHolds,
  windowStartOf,
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

  constructor(bound: BoundLimit, cell: Cell | undefined, state: Opaque) {
    this.bound = bound;
    this.cell = cell;
    this.state = state;
    this.held = 0;
    this.heldUntilUs = 0;
    this.blockedUntilUs = 0;
    this.verdict = 'ok';
  }
}

export type Outcome = {
  allowed: boolean;
  overflowed: boolean;
  readonly readings: readonly Weighing[];
  /** Where the question now holds a slot, and where it holds a reservation. */
  slots: readonly Weighing[];
  reserved: readonly Weighing[];
};

const nowhere: readonly Weighing[] = Object.freeze([]);

/** Evaluates every limit, then charges all or none: the twin of `decide.lua`. */
export function decide(desk: Desk, question: Question): Outcome {
  const { peek, limits } = question;
  const readings = limits.map((bound) => weigh(desk, bound, peek));
  const outcome = { allowed: true, overflowed: false, readings, slots: nowhere, reserved: nowhere };
  for (let at = 0; at < readings.length; at += 1) {
    const weighing = readings[at] as Weighing;
    if (weighing.bound !== limits[at]) outcome.overflowed = true;
    if (weighing.verdict !== 'ok' && weighing.bound.limit.enforced) outcome.allowed = false;
  }
  for (const weighing of readings) {
    if (!peek) commit(desk, question, outcome, weighing);
    finish(weighing, desk.nowUs);
  }
  return outcome;
}

export function weigh(desk: Desk, asked: BoundLimit, peek: boolean): Weighing {
  const { cells, tenant, nowUs } = desk;
  let bound = asked;
  let cell = cells.find(tenant, bound);
  if (cell === undefined && !peek && !cells.hasRoom(tenant, bound, nowUs)) {
    bound = { limit: overflowOf(bound.limit), parts: [], cost: bound.cost };
    cell = cells.find(tenant, bound);
  }
  const { algorithm, numbers } = bound.limit;
  if (cell?.holds) cell.state = expireHolds(cell.holds, bound, cell.state, nowUs);
  const weighing = new Weighing(bound, cell, algorithm.load(numbers, cell?.state, nowUs));
  if (cell?.holds) {
    const { held, heldUntilUs } = heldIn(cell.holds, windowStartOf(numbers, weighing.state));
    weighing.held = held;
    weighing.heldUntilUs = heldUntilUs;
  }
  if (cell?.penalty) weighing.blockedUntilUs = blockedUntilUs(cell.penalty, nowUs);
  weighing.verdict = verdictOn(weighing, peek, nowUs);
  return weighing;
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

function commit(desk: Desk, question: Question, outcome: Outcome, weighing: Weighing): void {
  const { bound, verdict } = weighing;
  const { limit } = bound;
  const { nowUs } = desk;
  if (verdict === 'exceeded' && limit.penalty) punish(desk, weighing);
  if (verdict !== 'ok' || bound.cost === 0) return;
  const taken = limit.numbers.algorithm === 'concurrency' || question.reserve !== undefined;
  // Slots and holds are given back by whoever was let in; nobody would give back the others.
  if (!outcome.allowed && (limit.enforced || taken)) return;
  const cell = cellOf(desk, weighing);
  if (limit.numbers.algorithm === 'concurrency') {
    const expiresAtUs = nowUs + limit.numbers.staleAfterUs;
    takeSlot(weighing.state as ConcurrencyState, { id: question.id, expiresAtUs }, nowUs);
    outcome.slots = [...outcome.slots, weighing];
  } else if (question.reserve) {
    const { ttlMs, onExpiry } = question.reserve;
    addHold((cell.holds ??= newHolds()), question.id, {
      cost: bound.cost,
      expiresAtUs: nowUs + ttlMs * 1000,
      windowStartUs: windowStartOf(limit.numbers, weighing.state),
      keep: onExpiry === 'keep',
    });
    const countsUntilUs = holdsCountUntilUs(bound, nowUs + ttlMs * 1000);
    cell.expiresAtUs = Math.max(cell.expiresAtUs, countsUntilUs);
    outcome.reserved = [...outcome.reserved, weighing];
  } else {
    weighing.state = limit.algorithm.charge(limit.numbers, weighing.state, bound.cost, nowUs);
  }
  store(cell, bound, weighing.state);
}

function punish(desk: Desk, weighing: Weighing): void {
  const { penalty } = weighing.bound.limit;
  if (!penalty) return;
  const cell = cellOf(desk, weighing);
  cell.penalty = strike(penalty, cell.penalty, desk.nowUs);
  cell.expiresAtUs = Math.max(cell.expiresAtUs, forgetAtUs(cell.penalty));
  weighing.blockedUntilUs = cell.penalty.untilUs;
}

function cellOf({ cells, tenant }: Desk, weighing: Weighing): Cell {
  // Making room for a later limit of the question may have swept this one away.
  if (weighing.cell?.index === removed) weighing.cell = undefined;
  return (weighing.cell ??= cells.make(tenant, weighing.bound));
}

export function store(cell: Cell, { limit }: BoundLimit, state: Opaque): void {
  const { algorithm, numbers } = limit;
  if (algorithm.overwrite) cell.state = algorithm.overwrite(cell.state, state);
  else cell.state = state;
  const expiresAtUs = algorithm.expiresAtUs(numbers, state);
  if (expiresAtUs > cell.expiresAtUs) cell.expiresAtUs = expiresAtUs;
}

/** Turns what was weighed into what is shown of it, as it is after the decision. */
export function finish(weighing: Weighing, nowUs: number): Reading {
  const { cell, bound } = weighing;
  const { algorithm, numbers } = bound.limit;
  if (cell?.holds) {
    const { held, heldUntilUs } = heldIn(cell.holds, windowStartOf(numbers, weighing.state));
    weighing.held = held;
    weighing.heldUntilUs = heldUntilUs;
  }
  const amount = amountOf(bound.limit, bound.cost) + weighing.held;
  weighing.state = algorithm.read(numbers, weighing.state, amount, nowUs);
  return weighing;
}
