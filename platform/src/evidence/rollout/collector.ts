import { Decision, type BoundLimit, type Limit, type Reading } from 'sluice/core';
import { isDegraded, type CheckEvent, type CheckSink } from '../../observe/index.ts';
import { Backlogs, type Met, type Room } from './demand.ts';
import { HourTally, type HourRow } from './hour-tally.ts';
import { definedByOf, stageOf, type Stage } from './stage.ts';
import type { SubjectNames } from './subject-names.ts';

/** What came of one limit since the last time. */
export type LimitRows = {
  readonly tenantId: string;
  readonly name: string;
  readonly definedBy: string;
  readonly algorithm: string;
  readonly size: number;
  readonly hours: readonly HourRow[];
};

export type CollectorOptions = {
  readonly names: SubjectNames;
  /** Something was not followed for want of room. */
  readonly onUntracked: (what: 'limit' | 'counter') => void;
  readonly bounds?: Partial<CollectorBounds>;
};

export type CollectorBounds = {
  /** Limits of tenants that are followed at a time. */
  readonly limitsMax: number;
  /** Subjects of one limit in one hour. */
  readonly subjectsMax: number;
  /** Subjects of all together. */
  readonly followedMax: number;
  /** Counters that were refused something lately, of all together. */
  readonly countersMax: number;
};

const boundsDefault: CollectorBounds = {
  limitsMax: 2000,
  subjectsMax: 2000,
  followedMax: 200_000,
  countersMax: 100_000,
};

const hourUs = 3_600_000_000;

/**
 * Watches what limits in shadow and warn say, and adds it up by the hour. Looks at checks when they
 * are answered: for those without such a limit it is a look at each limit's mode. Peeks, answers
 * given again, and those that were not decided exactly do not count; nor does a call that costs
 * nothing of the limit.
 */
export class RolloutCollector implements CheckSink {
  readonly #names: SubjectNames;
  readonly #onUntracked: CollectorOptions['onUntracked'];
  readonly #bounds: CollectorBounds;
  readonly #tenants = new Map<string, Map<string, Watched>>();
  readonly #room: Room;
  #limits = 0;
  #followed = 0;
  #latestUs = 0;

  constructor({ names, onUntracked, bounds }: CollectorOptions) {
    this.#names = names;
    this.#onUntracked = onUntracked;
    this.#bounds = { ...boundsDefault, ...bounds };
    this.#room = { left: this.#bounds.countersMax };
  }

  /** How many subjects it follows. */
  get followed(): number {
    return this.#followed;
  }

  check(event: CheckEvent): void {
    const { question, answer } = Decision.factsOf(event.decision);
    const { limits } = question;
    for (let at = 0; at < limits.length; at += 1) {
      const bound = limits[at] as BoundLimit;
      const stage = stageOf(bound.limit);
      if (stage === null || bound.cost === 0) continue;
      if (answer.replayOf !== null || isDegraded(event.decision)) return;
      const reading = answer.readings[at];
      if (reading) this.#note(event, { at, bound, reading, stage });
    }
  }

  /** What came since the last time, and forgets the hours that are over. */
  take(): LimitRows[] {
    const taken: LimitRows[] = [];
    const hourNow = Math.floor(this.#latestUs / hourUs);
    for (const [tenantId, byLimit] of this.#tenants) {
      for (const [key, watched] of byLimit) {
        const hours = watched.take();
        if (hours.length > 0) taken.push({ tenantId, ...watched.about, hours });
        this.#followed -= watched.forgetBefore(hourNow, this.#latestUs);
        if (!watched.isIdle) continue;
        byLimit.delete(key);
        this.#limits -= 1;
      }
      if (byLimit.size === 0) this.#tenants.delete(tenantId);
    }
    return taken;
  }

  /** Forgets the subject. What was taken is the taker's. */
  erase(tenantId: string, subject: string): void {
    for (const watched of this.#tenants.get(tenantId)?.values() ?? []) {
      this.#followed -= watched.erase(subject, this.#names.stored(subject));
    }
  }

  #note(
    { tenant, subject, decision }: CheckEvent,
    {
      at,
      bound,
      reading,
      stage,
    }: {
      readonly at: number;
      readonly bound: BoundLimit;
      readonly reading: Reading;
      readonly stage: Stage;
    },
  ): void {
    const watched = this.#watchedOf(tenant, bound.limit);
    if (!watched) return this.#onUntracked('limit');
    const { check, answer } = Decision.factsOf(decision);
    const { nowUs } = answer;
    this.#latestUs = Math.max(this.#latestUs, nowUs);
    const refused = reading.verdict !== 'ok';
    const hour = watched.hourOf(stage, Math.floor(nowUs / hourUs), this.#bounds.subjectsMax);
    hour.count(refused);
    const before = hour.size;
    const stored = this.#names.stored(subject);
    const tally = hour.follow(stored, () => this.#names.pointOf(tenant, stored));
    this.#followed += hour.size - before;
    while (this.#followed > this.#bounds.followedMax) this.#thin();
    // Of a counter that only this subject has, nobody asks who does not follow the subject.
    if (!tally && bound.limit.identifiedBy.includes('subject')) return;
    const shown = Decision.viewsOf(decision)[at]?.view;
    if (!shown) return;
    const isTaken =
      bound.limit.numbers.algorithm === 'concurrency' ||
      (check.reserve !== null && !bound.limit.global);
    // Slots and holds are only given to who was let in, whatever this limit said.
    const charged = !refused && (decision.allowed || !isTaken);
    const met: Met = watched.backlogs.meet({ bound, reading, shown, nowUs, charged });
    tally?.note(refused, met);
  }

  #watchedOf(tenantId: string, limit: Limit): Watched | null {
    let byLimit = this.#tenants.get(tenantId);
    const key = `${definedByOf(limit)} ${limit.name}`;
    const known = byLimit?.get(key);
    if (known) {
      known.limit = limit;
      return known;
    }
    if (this.#limits >= this.#bounds.limitsMax) return null;
    const made = new Watched(limit, new Backlogs(this.#room, () => this.#onUntracked('counter')));
    if (!byLimit) this.#tenants.set(tenantId, (byLimit = new Map()));
    byLimit.set(key, made);
    this.#limits += 1;
    return made;
  }

  /** Half of everybody: fair to all limits, and known to each. */
  #thin(): void {
    this.#followed = 0;
    for (const byLimit of this.#tenants.values()) {
      for (const watched of byLimit.values()) this.#followed += watched.thin();
    }
  }
}

/** One limit of a tenant. */
class Watched {
  limit: Limit;
  readonly backlogs: Backlogs;
  readonly #hours = new Map<string, HourTally>();

  constructor(limit: Limit, backlogs: Backlogs) {
    this.limit = limit;
    this.backlogs = backlogs;
  }

  get about() {
    const { name, numbers, size } = this.limit;
    return { name, definedBy: definedByOf(this.limit), algorithm: numbers.algorithm, size };
  }

  get isIdle(): boolean {
    return this.#hours.size === 0 && this.backlogs.size === 0;
  }

  hourOf(stage: Stage, hour: number, subjectsMax: number): HourTally {
    const key = `${stage} ${hour}`;
    let tally = this.#hours.get(key);
    if (!tally) {
      tally = new HourTally({ stage, hourMs: (hour * hourUs) / 1000 }, subjectsMax);
      this.#hours.set(key, tally);
    }
    return tally;
  }

  take(): HourRow[] {
    return [...this.#hours.values()].flatMap((hour) => hour.take() ?? []);
  }

  /** After they were taken. Returns how many subjects are followed no more. */
  forgetBefore(hourNow: number, nowUs: number): number {
    let forgotten = 0;
    for (const [key, tally] of this.#hours) {
      if ((tally.hourMs * 1000) / hourUs >= hourNow) continue;
      forgotten += tally.size;
      this.#hours.delete(key);
    }
    this.backlogs.sweep(nowUs);
    return forgotten;
  }

  thin(): number {
    let left = 0;
    for (const hour of this.#hours.values()) {
      hour.thin();
      left += hour.size;
    }
    return left;
  }

  erase(subject: string, stored: string): number {
    let erased = 0;
    for (const hour of this.#hours.values()) {
      const before = hour.size;
      hour.erase(stored);
      erased += before - hour.size;
    }
    this.backlogs.erase(subject);
    return erased;
  }
}
