import type { Kysely } from 'kysely';
import type { Tables } from '../../database/index.ts';
import { FiguresReader, hourOf, type Observed } from './figures.ts';
import { History, type Entered } from './history.ts';
import { stages, type Stage } from './stage.ts';
import type { Standing } from './standing.ts';

/** A limit that is asked about: as it is configured, as it was seen, or both. */
export type Watched = {
  readonly tenantId: string;
  readonly name: string;
  readonly definedBy: string;
  readonly seen: {
    readonly id: number;
    readonly algorithm: string;
    readonly size: number;
  } | null;
  readonly standing: Standing | null;
};

export type Span = { readonly now: Date; readonly from: Date; readonly to: Date };

/** Where a limit is in its rollout, and which hours tell of that. */
export type Place = {
  /** The one it is in, else the last one that it was seen in. */
  readonly stage: Stage | null;
  /** Whether it is in that stage now. */
  readonly isThere: boolean;
  /** When it came to be as it is, as far as that is known, and from the audit or not. */
  readonly entered: Entered | null;
  readonly firstSeen: Date | null;
  readonly from: Date;
  readonly observed: Observed | null;
};

const dayMs = 86_400_000;

export class Placing {
  readonly #figures: FiguresReader;
  readonly #history: History;
  readonly #subjectDays: number;

  constructor(db: Kysely<Tables>, { subjectDays }: { readonly subjectDays: number }) {
    this.#figures = new FiguresReader(db);
    this.#history = new History(db);
    this.#subjectDays = subjectDays;
  }

  async place({ tenantId, standing, seen }: Watched, span: Span): Promise<Place> {
    const now = stages.find((one) => one === standing?.mode) ?? null;
    const from = hourOf(span.from);
    const stage = now ?? (seen && (await this.#figures.lastStage(seen.id, { from, to: span.to })));
    const noted = standing && (await this.#history.entered(tenantId, standing, span.now));
    const notedHour = now && noted ? hourOf(noted.at) : null;
    const firstSeen =
      seen && stage ? await this.#figures.firstSeen(seen.id, stage, notedHour) : null;
    const entered = noted ?? (now && firstSeen ? { at: firstSeen, auditId: null } : null);
    const begin = now && entered ? later(from, hourOf(entered.at)) : from;
    return {
      stage,
      isThere: now !== null,
      entered,
      firstSeen,
      from: begin,
      observed: seen && stage ? this.#observed(seen.id, stage, { ...span, from: begin }) : null,
    };
  }

  /** In the stage before this one, as far back as was asked for. */
  async before({ seen }: Watched, { entered, stage, isThere }: Place, span: Span) {
    if (!seen || !entered) return null;
    const hour = hourOf(entered.at);
    const from = hourOf(span.from);
    const end = new Date(hour.getTime() + 1);
    const notLast = isThere ? stage : null;
    const last = await this.#figures.lastStage(seen.id, { from, to: end, notLast });
    if (!last) return null;
    const to = last === notLast ? hour : end;
    return this.#observed(seen.id, last, { now: span.now, from, to });
  }

  #observed(limitId: number, stage: Stage, { now, from, to }: Span): Observed {
    const kept = new Date(now.getTime() - this.#subjectDays * dayMs);
    return { limitId, stage, from, to, subjectsFrom: later(from, kept) };
  }
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}
