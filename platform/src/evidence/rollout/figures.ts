import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../database/index.ts';
import type { Stage } from './stage.ts';
import { pointEnd } from './subject-names.ts';

/** One limit in one stage, from an hour on and up to another; subjects from a later one on, perhaps. */
export type Observed = {
  readonly limitId: number;
  readonly stage: Stage;
  readonly from: Date;
  readonly to: Date;
  readonly subjectsFrom: Date;
};

export type Figures = {
  readonly calls: number;
  readonly would_refuse: number;
  readonly share_of_calls: number | null;
  /** Estimated, where they are a sample. */
  readonly subjects: number;
  readonly refused_subjects: number;
  readonly share_of_subjects: number | null;
  readonly sampled: boolean;
  readonly sample: Sample;
};

/** The subjects that were followed, and which part of all they are. */
export type Sample = { readonly share: number; readonly subjects: number };

export const noFigures: Figures = {
  calls: 0,
  would_refuse: 0,
  share_of_calls: null,
  subjects: 0,
  refused_subjects: 0,
  share_of_subjects: null,
  sampled: false,
  sample: { share: 1, subjects: 0 },
};

export type TopSubject = {
  readonly subject: string;
  readonly calls: number;
  readonly would_refuse: number;
  readonly peak: number;
};

/** How many subjects would be refused something at this number. */
export type Alternative = {
  readonly number: number;
  readonly refused_subjects: number;
  readonly share_of_subjects: number;
};

/** Of the greatest numbers each one that makes a difference, and as many of all others. */
const alternativesHalf = 60;

export const steps = ['hour', 'day'] as const;
export type Step = (typeof steps)[number];
export const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

export type Point = Omit<Figures, 'sampled' | 'sample'> & { readonly at: string };

/** Reads what was collected. */
export class FiguresReader {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async figures(observed: Observed): Promise<Figures> {
    const { rows } = await sql<Counted>`
      WITH ${leastOf(observed)}, subjects AS (
        SELECT sum(would_refuse) > 0 AS refused FROM ${followed(observed)} GROUP BY subject
      )
      SELECT coalesce(sum(calls), 0)::bigint AS calls,
        coalesce(sum(would_refuse), 0)::bigint AS would_refuse,
        (SELECT below FROM least) AS below,
        (SELECT count(*) FROM subjects) AS subjects,
        (SELECT count(*) FILTER (WHERE refused) FROM subjects) AS refused_subjects
      FROM ${hoursOf(observed)}`.execute(this.#db);
    const [counted] = rows;
    if (!counted) return noFigures;
    const share = counted.below / pointEnd;
    return {
      ...figuresOf(counted, share),
      sampled: share < 1,
      sample: { share, subjects: counted.subjects },
    };
  }

  /** One point for each step, also where nothing came. */
  async series(observed: Observed, step: Step): Promise<Point[]> {
    const { rows } = await sql<Counted & { at: Date }>`
      WITH ${leastOf(observed)}, hours AS (
        SELECT date_trunc(${step}, hour, 'UTC') AS at, sum(calls)::bigint AS calls,
          sum(would_refuse)::bigint AS would_refuse
        FROM ${hoursOf(observed)} GROUP BY 1
      ), each AS (
        SELECT date_trunc(${step}, hour, 'UTC') AS at, sum(would_refuse) > 0 AS refused
        FROM ${followed(observed)} GROUP BY 1, subject
      ), subjects AS (
        SELECT at, count(*) AS subjects, count(*) FILTER (WHERE refused) AS refused_subjects
        FROM each GROUP BY at
      )
      SELECT at, calls, would_refuse, coalesce(subjects, 0) AS subjects,
        coalesce(refused_subjects, 0) AS refused_subjects, (SELECT below FROM least) AS below
      FROM hours LEFT JOIN subjects USING (at)`.execute(this.#db);
    const byTime = new Map(rows.map((row) => [row.at.getTime(), row]));
    const points: Point[] = [];
    const lengthMs = stepMs[step];
    const firstMs = Math.floor(observed.from.getTime() / lengthMs) * lengthMs;
    for (let atMs = firstMs; atMs < observed.to.getTime(); atMs += lengthMs) {
      const counted = byTime.get(atMs) ?? nothingCounted;
      const figures = figuresOf(counted, counted.below / pointEnd);
      points.push({ at: new Date(atMs).toISOString(), ...figures });
    }
    return points;
  }

  /** Of those who were followed, who would have been refused most. */
  async top(observed: Observed, count: number): Promise<readonly TopSubject[]> {
    const { rows } = await sql<TopSubject>`
      WITH ${leastOf(observed)}
      SELECT subject, sum(calls)::bigint AS calls, sum(would_refuse)::bigint AS would_refuse,
        max(${peak})::bigint AS peak
      FROM ${followed(observed)} GROUP BY subject HAVING sum(would_refuse) > 0
      ORDER BY 3 DESC, 2 DESC, subject LIMIT ${count}`.execute(this.#db);
    return rows;
  }

  /**
   * The least size at which at most this share of subjects would be refused anything: as many as may
   * be are left above it, and the next one's greatest demand is it. Null when nobody was seen.
   */
  async sizeFor(observed: Observed, atMost: number, { subjects }: Sample): Promise<number | null> {
    if (subjects === 0) return null;
    // A share as people write it, times a count, may come out a hair below the whole number meant.
    const above = Math.floor(atMost * subjects + 1e-9);
    if (above >= subjects) return 1;
    const { rows } = await sql<{ peak: number }>`
      WITH ${leastOf(observed)}
      SELECT max(${peak})::bigint AS peak FROM ${followed(observed)}
      GROUP BY subject ORDER BY 1 DESC OFFSET ${above} LIMIT 1`.execute(this.#db);
    return rows[0]?.peak ?? null;
  }

  /**
   * What other sizes would refuse: from one to the next it stays the same where all are told. Of
   * very many different demands those of the few great ones are told, and some of the others.
   */
  async alternatives(observed: Observed, { share, subjects }: Sample): Promise<Alternative[]> {
    const { rows } = await sql<{ number: number; above: number }>`
      WITH ${leastOf(observed)}, peaks AS (
        SELECT max(${peak})::bigint AS number FROM ${followed(observed)} GROUP BY subject
      ), ranked AS (
        SELECT number, (sum(count(*)) OVER (ORDER BY number DESC) - count(*))::bigint AS above,
          row_number() OVER (ORDER BY number DESC) AS rank, count(*) OVER () AS numbers
        FROM peaks GROUP BY number
      )
      SELECT number, above FROM ranked
      WHERE rank <= ${alternativesHalf} OR rank = numbers
        OR rank % ceil(numbers::numeric / ${alternativesHalf}) = 0
      ORDER BY number`.execute(this.#db);
    return rows.map(({ number, above }) => ({
      number,
      refused_subjects: Math.round(above / share),
      share_of_subjects: above / subjects,
    }));
  }

  /** The stage that a limit was last seen in, within a span; not in this one in the last hour. */
  async lastStage(
    limitId: number,
    {
      from,
      to,
      notLast = null,
    }: { readonly from: Date; readonly to: Date; readonly notLast?: Stage | null },
  ): Promise<Stage | null> {
    const { rows } = await sql<{ stage: Stage }>`
      SELECT stage FROM rollout_hours
      WHERE limit_id = ${limitId} AND hour >= ${from} AND hour < ${to}
        AND NOT (stage IS NOT DISTINCT FROM ${notLast}::text AND hour = ${hourBefore(to)})
      ORDER BY hour DESC, stage DESC LIMIT 1`.execute(this.#db);
    return rows[0]?.stage ?? null;
  }

  /** The first hour in which it was seen in a stage, not counting what came before another stage. */
  async firstSeen(limitId: number, stage: Stage, since: Date | null): Promise<Date | null> {
    const { rows } = await sql<{ hour: Date | null }>`
      SELECT min(hour) AS hour FROM rollout_hours
      WHERE limit_id = ${limitId} AND stage = ${stage}
        AND hour >= coalesce(${since}::timestamptz, (
          SELECT max(hour) FROM rollout_hours WHERE limit_id = ${limitId} AND stage <> ${stage}
        ), '-infinity')`.execute(this.#db);
    return rows[0]?.hour ?? null;
  }
}

function hourBefore(to: Date): Date {
  return new Date(hourOf(to).getTime() - (to.getTime() % stepMs.hour === 0 ? stepMs.hour : 0));
}

/** When the hour began. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / stepMs.hour) * stepMs.hour);
}

type Counted = {
  readonly calls: number;
  readonly would_refuse: number;
  readonly subjects: number;
  readonly refused_subjects: number;
  readonly below: number;
};

const nothingCounted: Counted = {
  calls: 0,
  would_refuse: 0,
  subjects: 0,
  refused_subjects: 0,
  below: pointEnd,
};

function figuresOf({ calls, would_refuse: refused, ...counted }: Counted, share: number) {
  const { subjects, refused_subjects: refusedSubjects } = counted;
  return {
    calls,
    would_refuse: refused,
    share_of_calls: shareOf(refused, calls),
    subjects: Math.round(subjects / share),
    refused_subjects: Math.round(refusedSubjects / share),
    share_of_subjects: shareOf(refusedSubjects, subjects),
  };
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Others' refusals add up; the greatest of one node is in its peak already. */
const peak = sql`peak + extra - extra_most`;

function hoursOf({ limitId, stage, from, to }: Observed) {
  return sql`(SELECT * FROM rollout_hours WHERE limit_id = ${limitId} AND stage = ${stage}
    AND hour >= ${from} AND hour < ${to}) AS all_hours`;
}

/** Hours and nodes may follow more or fewer: all of them follow those below the least of their marks. */
function leastOf({ limitId, stage, subjectsFrom, to }: Observed) {
  return sql`least AS (
    SELECT coalesce(min(below), ${pointEnd}::bigint) AS below FROM rollout_hours
    WHERE limit_id = ${limitId} AND stage = ${stage} AND hour >= ${subjectsFrom} AND hour < ${to})`;
}

function followed({ limitId, stage, subjectsFrom, to }: Observed) {
  return sql`(SELECT * FROM rollout_subjects WHERE limit_id = ${limitId} AND stage = ${stage}
    AND hour >= ${subjectsFrom} AND hour < ${to}
    AND point < (SELECT below FROM least)) AS all_followed`;
}
