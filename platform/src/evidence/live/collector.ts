import { Decision } from 'sluice/core';
import { outcomeOf, type CheckEvent, type CheckSink, type Outcome } from '../../observe/index.ts';
import { topMax, type Figures, type LimitFigures, type SubjectFigures } from './figures.ts';
import { Latencies } from './latencies.ts';

/** In a second, no more limits or subjects than these are told apart. */
const namesMax = 5000;
/** Not yet taken. */
const secondsMax = 10;

/** What is counted of the second that runs. */
class Second {
  readonly outcomes: Record<Outcome, number> = {
    allowed: 0,
    blocked: 0,
    warned: 0,
    shadowed: 0,
    degraded: 0,
  };
  readonly latencies = new Latencies();
  readonly limits = new Map<string, Mutable<LimitFigures>>();
  readonly subjects = new Map<string, RefusedSubject>();
  factor = 1;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type RefusedSubject = { refused: number; last: CheckEvent };
type Counted = Pick<Figures, 'outcomes' | 'latencies' | 'limits' | 'subjects' | 'factor'>;

/** Counts checks by the second. */
export class LiveCollector implements CheckSink {
  readonly #subjectHash: (tenant: string, subject: string) => string;
  readonly #nowMs: () => number;
  readonly #seconds = new Map<number, Second>();

  constructor(subjectHash: (tenant: string, subject: string) => string, nowMs = Date.now) {
    this.#subjectHash = subjectHash;
    this.#nowMs = nowMs;
  }

  check(event: CheckEvent): void {
    const { decision, durationUs } = event;
    const outcome = outcomeOf(decision);
    const second = this.#current();
    second.outcomes[outcome] += 1;
    second.latencies.add(durationUs);
    if (outcome === 'allowed') return;
    if (decision.adaptive.factor < second.factor) second.factor = decision.adaptive.factor;
    if (outcome === 'blocked') countSubject(second, event);
    countLimits(second, event);
  }

  /** Of a second that is over; once. Subjects are hashed here, where they are few. */
  take(at: number): Counted {
    const { outcomes, latencies, limits, subjects, factor } = this.#seconds.get(at) ?? new Second();
    this.#seconds.delete(at);
    return {
      outcomes,
      latencies: latencies.counts,
      limits: topOf(limits, (one) => one.refused + one.would_refuse),
      subjects: topOf(subjects, (one) => one.refused).map((one) => this.#shown(one)),
      factor,
    };
  }

  #current(): Second {
    const at = Math.floor(this.#nowMs() / 1000);
    const known = this.#seconds.get(at);
    if (known) return known;
    const made = new Second();
    this.#seconds.set(at, made);
    // Nobody takes what is older: the clock was set, or nobody is there to take it.
    for (const old of this.#seconds.keys()) {
      if (this.#seconds.size <= secondsMax) break;
      this.#seconds.delete(old);
    }
    return made;
  }

  #shown({ refused, last: { tenant, subject, decision } }: RefusedSubject): SubjectFigures {
    return {
      tenant_id: tenant,
      subject_hash: this.#subjectHash(tenant, subject),
      limit: decision.blockedBy?.limit ?? null,
      refused,
      decision_id: decision.decisionId,
    };
  }
}

function countSubject({ subjects }: Second, event: CheckEvent): void {
  const name = `${event.tenant} ${event.subject}`;
  const known = subjects.get(name);
  if (known) {
    known.refused += 1;
    known.last = event;
  } else if (subjects.size < namesMax) subjects.set(name, { refused: 1, last: event });
}

function countLimits({ limits }: Second, { tenant, decision }: CheckEvent): void {
  const { question, answer } = Decision.factsOf(decision);
  for (let at = 0; at < answer.readings.length; at += 1) {
    if (answer.readings[at]?.verdict === 'ok') continue;
    const limit = question.limits[at]?.limit;
    if (!limit) continue;
    const name = `${tenant} ${limit.name}`;
    let counted = limits.get(name);
    if (!counted) {
      if (limits.size >= namesMax) continue;
      counted = { tenant_id: tenant, limit: limit.name, refused: 0, would_refuse: 0 };
      limits.set(name, counted);
    }
    if (limit.enforced) counted.refused += 1;
    else counted.would_refuse += 1;
  }
}

function topOf<T>(counted: ReadonlyMap<string, T>, weightOf: (one: T) => number): T[] {
  return [...counted.values()].toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, topMax);
}
