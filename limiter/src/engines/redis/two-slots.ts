import type {
  Answer,
  BoundLimit,
  DecideCall,
  DecideResult,
  Decided,
  Question,
  Reading,
} from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { Conclusion, type Conclude } from './conclude.ts';
import type { PartAnswer } from './decode.ts';
import type { Part } from './slot-call.ts';
import type { SlotAnswers, SlotResult, Slots } from './slots.ts';

/** What became of a question's global limits before its tenant was asked. */
type Taken = {
  readonly question: Question;
  readonly limits: readonly BoundLimit[];
  readonly answer: Decided;
};

/**
 * Decides where global limits and the tenant's own are in different slots, which no script can
 * touch at once. What is global is taken first. Then the tenant's slot is asked, and what it says
 * holds; if the check is not let in for the first time there, what was taken is given back.
 *
 * In between, others may be refused by what is given back a moment later: never more is let in than
 * there is, at times less. If the tenant's slot fails, what was taken stays taken, for the check is
 * then most likely let in without it.
 */
export class TwoSlots {
  readonly #slots: Slots;
  readonly #conclude: Conclude;

  constructor(slots: Slots, conclude: Conclude) {
    this.#slots = slots;
    this.#conclude = conclude;
  }

  async decide(call: DecideCall): Promise<DecideResult> {
    const parts = call.questions.map(globalPartOf).filter((part) => part.limits.length > 0);
    const first = await this.#slots.decide({ tenant: call.tenant, questions: parts, global: true });
    if (first.kind !== 'answered') throw new StoreFailure('malformed reply');
    const taken = takenOf(call.questions, first.answers);
    const { counted } = first;
    const questions = call.questions.map((question, at) => ownPartOf(question, taken[at], counted));
    const second = await this.#slots.decide({ ...call, questions });
    const seen = await this.#settle(first, taken, second);
    if (second.kind !== 'answered') return second;
    return { kind: 'answered', answers: second.answers.map((one, at) => whole(one, seen[at])) };
  }

  /** Gives back and punishes as the tenant's slot has it; returns what is then to be seen. */
  async #settle(
    { nowUs, counted }: SlotAnswers,
    taken: readonly (Taken | undefined)[],
    second: SlotResult,
  ): Promise<(Taken | undefined)[]> {
    const conclusion = new Conclusion(nowUs);
    const seen = taken.map((one, at) => {
      if (!one) return undefined;
      const outcome = outcomeOf(second.kind === 'answered' ? second.answers[at] : undefined);
      const readings = one.answer.readings.map((reading, index) => {
        const bound = one.limits[index] as BoundLimit;
        const shown = { ...reading };
        if (isToGiveBack(one, bound, reading, outcome)) conclusion.giveBack(counted(bound), shown);
        if (isToStrike(one, bound, reading, outcome)) conclusion.strike(counted(bound), shown);
        return shown;
      });
      return { ...one, answer: { ...one.answer, readings } };
    });
    await this.#conclude(conclusion);
    return seen;
  }
}

type Outcome = 'let in' | 'refused' | 'undone';

/** A repeated, conflicting or stale question is as if it had not been asked. */
function outcomeOf(answer: PartAnswer | undefined): Outcome {
  if (answer?.kind !== 'decided' || answer.replayOf !== null) return 'undone';
  return answer.allowed ? 'let in' : 'refused';
}

function isToGiveBack(
  { question, answer }: Taken,
  { limit, cost }: BoundLimit,
  { verdict }: Reading,
  outcome: Outcome,
): boolean {
  const charged =
    !question.peek && cost > 0 && verdict === 'ok' && (answer.allowed || !limit.enforced);
  // A shadow limit counts what enforced ones refuse.
  return charged && (outcome === 'undone' || (outcome === 'refused' && limit.enforced));
}

function isToStrike(
  { question }: Taken,
  { limit }: BoundLimit,
  { verdict }: Reading,
  outcome: Outcome,
): boolean {
  return verdict === 'exceeded' && limit.penalty !== null && !question.peek && outcome !== 'undone';
}

function isGlobal({ limit }: BoundLimit): boolean {
  return limit.global;
}

/** Only the limits: ledger, records and reservations are the tenant's. */
function globalPartOf({ id, peek, limits }: Question): Part {
  const elsewhere = { verdict: 'pending', limits: [], readings: [], counted: [] } as const;
  return { id, peek, limits: limits.filter(isGlobal), elsewhere };
}

/** In the order of the questions; undefined for those without global limits. */
function takenOf(
  questions: readonly Question[],
  answers: readonly Answer[],
): (Taken | undefined)[] {
  let next = 0;
  return questions.map((question) => {
    const limits = question.limits.filter(isGlobal);
    if (limits.length === 0) return undefined;
    const answer = answers[next];
    next += 1;
    if (answer?.kind !== 'decided') throw new StoreFailure('malformed reply');
    return { question, limits, answer };
  });
}

function ownPartOf(
  question: Question,
  taken: Taken | undefined,
  counted: SlotAnswers['counted'],
): Part {
  if (!taken) return question;
  const { allowed, readings } = taken.answer;
  const warned = readings.some((reading) => reading.verdict !== 'ok');
  const verdict = allowed ? (warned ? 'warned' : 'ok') : 'refused';
  return {
    ...question,
    // A getter is left behind by the spread.
    id: question.id,
    limits: question.limits.filter((bound) => !isGlobal(bound)),
    elsewhere: { verdict, limits: taken.limits, readings, counted: taken.limits.map(counted) },
  };
}

/** The answer as one slot would have given it. */
function whole(part: PartAnswer, taken: Taken | undefined): Answer {
  if (!taken || part.kind === 'conflict') return part;
  const { recorded, ...answer } = part;
  const { limits } = taken.question;
  if (part.replayOf !== null) {
    return recorded ? { ...answer, readings: inOrder(limits, part.readings, recorded) } : answer;
  }
  return {
    ...answer,
    readings: inOrder(limits, part.readings, taken.answer.readings),
    degraded: taken.answer.degraded ?? answer.degraded,
  };
}

/** Readings of two slots, in the order of the limits that were asked about. */
export function inOrder(
  limits: readonly BoundLimit[],
  own: readonly Reading[],
  global: readonly Reading[],
): Reading[] {
  let [nextOwn, nextGlobal] = [0, 0];
  return limits.map((bound) => {
    const reading = isGlobal(bound) ? global[nextGlobal++] : own[nextOwn++];
    if (!reading) throw new StoreFailure('malformed reply');
    return reading;
  });
}
