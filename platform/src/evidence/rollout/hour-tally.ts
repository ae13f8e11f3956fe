import type { Met } from './demand.ts';
import type { Stage } from './stage.ts';
import { pointEnd } from './subject-names.ts';

/** What is to be added to an hour's row, and to those of its subjects. */
export type HourRow = {
  readonly stage: Stage;
  readonly hourMs: number;
  readonly calls: number;
  readonly wouldRefuse: number;
  readonly below: number;
  /** Subjects at or beyond `below` were given up since the last time. */
  readonly thinned: boolean;
  readonly subjects: readonly SubjectRow[];
};

export type SubjectRow = {
  readonly subject: string;
  readonly point: number;
  readonly calls: number;
  readonly wouldRefuse: number;
  /** Takes the place of a lower one; `extra` is added, and `extraMost` again takes the place. */
  readonly peak: number;
  readonly extra: number;
  readonly extraMost: number;
};

/**
 * One limit in one stage for an hour. Calls are counted whoever made them. Subjects are followed as
 * long as they are few; when there are more than the hour has room for, those in the upper half of
 * the points are given up, and so on: what is left is a fair sample, and the same one everywhere.
 */
export class HourTally {
  readonly stage: Stage;
  readonly hourMs: number;
  readonly #subjectsMax: number;
  readonly #subjects = new Map<string, SubjectTally>();
  #calls = 0;
  #wouldRefuse = 0;
  #below = pointEnd;
  #thinned = false;

  constructor(
    { stage, hourMs }: { readonly stage: Stage; readonly hourMs: number },
    subjectsMax: number,
  ) {
    this.stage = stage;
    this.hourMs = hourMs;
    this.#subjectsMax = subjectsMax;
  }

  /** How many subjects it follows. */
  get size(): number {
    return this.#subjects.size;
  }

  count(refused: boolean): void {
    this.#calls += 1;
    if (refused) this.#wouldRefuse += 1;
  }

  /** Null when the subject is not in the sample. */
  follow(subject: string, pointOf: () => number): SubjectTally | null {
    const known = this.#subjects.get(subject);
    if (known) return known;
    const point = pointOf();
    if (point >= this.#below) return null;
    const tally = new SubjectTally(point);
    this.#subjects.set(subject, tally);
    while (this.#subjects.size > this.#subjectsMax) this.thin();
    return point < this.#below ? tally : null;
  }

  thin(): void {
    this.#below = Math.floor(this.#below / 2);
    this.#thinned = true;
    for (const [subject, { point }] of this.#subjects) {
      if (point >= this.#below) this.#subjects.delete(subject);
    }
  }

  erase(subject: string): void {
    this.#subjects.delete(subject);
  }

  /** What came since the last time; null when nothing did. */
  take(): HourRow | null {
    if (this.#calls === 0 && !this.#thinned) return null;
    const subjects: SubjectRow[] = [];
    for (const [subject, tally] of this.#subjects) {
      const row = tally.take();
      if (row) subjects.push({ subject, ...row });
    }
    const { stage, hourMs } = this;
    const row = {
      stage,
      hourMs,
      calls: this.#calls,
      wouldRefuse: this.#wouldRefuse,
      below: this.#below,
      thinned: this.#thinned,
      subjects,
    };
    this.#calls = 0;
    this.#wouldRefuse = 0;
    this.#thinned = false;
    return row;
  }
}

/** One subject of the sample. What was refused of it at its most is told once, as it grows. */
export class SubjectTally {
  readonly point: number;
  #calls = 0;
  #wouldRefuse = 0;
  #peak = 0;
  #extra = 0;
  #extraTold = 0;

  constructor(point: number) {
    this.point = point;
  }

  note(refused: boolean, { demand, extra }: Met): void {
    this.#calls += 1;
    if (refused) this.#wouldRefuse += 1;
    this.#peak = Math.max(this.#peak, demand);
    this.#extra = Math.max(this.#extra, extra);
  }

  take(): Omit<SubjectRow, 'subject'> | null {
    if (this.#calls === 0) return null;
    const row = {
      point: this.point,
      calls: this.#calls,
      wouldRefuse: this.#wouldRefuse,
      peak: this.#peak,
      extra: this.#extra - this.#extraTold,
      extraMost: this.#extra,
    };
    this.#calls = 0;
    this.#wouldRefuse = 0;
    this.#extraTold = this.#extra;
    return row;
  }
}
