import { Decision } from 'sluice/core';
import { outcomeOf, type CheckEvent, type CheckSink, type Outcome } from '../../observe/index.ts';
import { topMax, type Figures, type LimitFigures, type SubjectFigures } from './figures.ts';
import { Latencies } from './latencies.ts';

/** In a second, no more limits or subjects than these are told apart. */
const namesMax = 5000;
/**
 * Of a second's refusals so many are counted for their subjects, then one in so many for all of
 * those: who is refused most under a flood shows all the same, at a fraction of its cost.
 */
const eachMax = 2000;
const oneIn = 16;
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
  readonly tenants = new Map<string, TenantSecond>();
  factor = 1;
  /** How many limits and subjects may still be told apart. */
  room = { limits: namesMax, subjects: namesMax };

  of(tenant: string): TenantSecond {
    let counted = this.tenants.get(tenant);
    if (!counted) this.tenants.set(tenant, (counted = { limits: new Map(), subjects: new Map() }));
    return counted;
  }
}

/** Nothing is put together for a name: under a flood that would cost more than counting. */
type TenantSecond = {
  readonly limits: Map<string, Mutable<LimitFigures>>;
  readonly subjects: Map<string, RefusedSubject>;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** Not the event: thousands of them, kept for a second, would keep the collector of garbage busy. */
type RefusedSubject = { refused: number; decisionId: string; limit: string | null };
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

  check(event: CheckEvent, atMs = this.#nowMs()): void {
    const { decision, durationUs } = event;
    const outcome = outcomeOf(decision);
    const second = this.#secondOf(atMs);
    second.outcomes[outcome] += 1;
    second.latencies.add(durationUs);
    if (outcome === 'allowed') return;
    if (decision.adaptive.factor < second.factor) second.factor = decision.adaptive.factor;
    const counted = second.of(event.tenant);
    if (outcome === 'blocked') countSubject(second, counted, event);
    countLimits(second, counted, event);
  }

  /** Of a second that is over; once. Subjects are hashed here, where they are few. */
  take(at: number): Counted {
    const { outcomes, latencies, tenants, factor } = this.#seconds.get(at) ?? new Second();
    this.#seconds.delete(at);
    const counted = [...tenants.values()];
    const limits = counted.flatMap((one) => [...one.limits.values()]);
    const subjects = [...tenants].flatMap(([tenant, one]) => this.#subjectsOf(tenant, one));
    return {
      outcomes,
      latencies: latencies.counts,
      limits: topOf(limits, (one) => one.refused + one.would_refuse),
      subjects: topOf(subjects, (one) => one.refused),
      factor,
    };
  }

  #subjectsOf(tenant: string, { subjects }: TenantSecond): SubjectFigures[] {
    const top = topOf([...subjects], ([, { refused }]) => refused);
    return top.map(([subject, { refused, limit, decisionId }]) => ({
      tenant_id: tenant,
      subject_hash: this.#subjectHash(tenant, subject),
      limit,
      refused,
      decision_id: decisionId,
    }));
  }

  #secondOf(atMs: number): Second {
    const at = Math.floor(atMs / 1000);
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
}

function countSubject(second: Second, { subjects }: TenantSecond, event: CheckEvent): void {
  const isFlood = second.outcomes.blocked > eachMax;
  // By chance, for a flood may come in turns.
  if (isFlood && Math.random() * oneIn >= 1) return;
  const weight = isFlood ? oneIn : 1;
  const { subject, decision } = event;
  const known = subjects.get(subject);
  // The first is the one that has a receipt: the others are counted on it.
  if (known) known.refused += weight;
  else if (second.room.subjects > 0) {
    second.room.subjects -= 1;
    const limit = Decision.shownOf(decision)?.bound.limit.name ?? null;
    subjects.set(subject, { refused: weight, decisionId: decision.decisionId, limit });
  }
}

function countLimits(
  second: Second,
  { limits }: TenantSecond,
  { tenant, decision }: CheckEvent,
): void {
  const { question, answer } = Decision.factsOf(decision);
  for (let at = 0; at < answer.readings.length; at += 1) {
    if (answer.readings[at]?.verdict === 'ok') continue;
    const limit = question.limits[at]?.limit;
    if (!limit) continue;
    let counted = limits.get(limit.name);
    if (!counted) {
      if (second.room.limits === 0) continue;
      second.room.limits -= 1;
      counted = { tenant_id: tenant, limit: limit.name, refused: 0, would_refuse: 0 };
      limits.set(limit.name, counted);
    }
    if (limit.enforced) counted.refused += 1;
    else counted.would_refuse += 1;
  }
}

function topOf<T>(counted: readonly T[], weightOf: (one: T) => number): T[] {
  return counted.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, topMax);
}
