import type { Kysely } from 'kysely';
import type { Tables } from '../../database/index.ts';
import { FiguresReader, noFigures, type Figures, type Observed, type Step } from './figures.ts';
import { History } from './history.ts';
import { Placing, type Place, type Span, type Watched } from './placing.ts';
import {
  definedByOf,
  sizeField,
  type Details,
  type Report,
  type StageFigures,
  type Suggestion,
  type Summary,
} from './report.ts';
import { verdictOn, type Thresholds } from './verdict.ts';

export type Asked = Span & {
  readonly thresholds: Thresholds;
  /** Null for a summary. */
  readonly details: DetailsAsked | null;
};

export type DetailsAsked = {
  readonly step: Step;
  readonly top: number;
  readonly atMost: number;
  /** Of changes, only those that the tenant itself may see. */
  readonly own: boolean;
};

/** Puts together what there is to say of one limit. */
export class Reporter {
  readonly #figures: FiguresReader;
  readonly #history: History;
  readonly #placing: Placing;

  constructor(db: Kysely<Tables>, { subjectDays }: { readonly subjectDays: number }) {
    this.#figures = new FiguresReader(db);
    this.#history = new History(db);
    this.#placing = new Placing(db, { subjectDays });
  }

  async report(watched: Watched, asked: Asked): Promise<Report> {
    const place = await this.#placing.place(watched, asked);
    const figures = await this.#read(place.observed);
    const summary = summaryOf(watched, { asked, place, figures });
    const { details } = asked;
    if (!details) return summary;
    const { observed } = place;
    return {
      ...summary,
      step: details.step,
      series: observed ? await this.#figures.series(observed, details.step) : [],
      top_subjects: observed ? await this.#figures.top(observed, details.top) : [],
      suggestion: await this.#suggest(summary, observed, details.atMost),
      alternatives: observed ? await this.#figures.alternatives(observed, figures.sample) : [],
      since_promotion: await this.#sincePromotion(watched, { asked, place, figures, details }),
    };
  }

  async #read(observed: Observed | null): Promise<Figures> {
    return observed ? this.#figures.figures(observed) : noFigures;
  }

  async #suggest(
    { algorithm, field, number: current, sampled, sample }: Summary,
    observed: Observed | null,
    atMost: number,
  ): Promise<Suggestion> {
    const number = observed && (await this.#figures.sizeFor(observed, atMost, sample));
    // How many calls would be open beyond the slots that there are, nobody has seen.
    const isBeyond = algorithm === 'concurrency' && number !== null && number > current;
    const known = isBeyond ? 'at_least' : sampled ? 'estimate' : 'exact';
    return { at_most: atMost, field, number, known };
  }

  async #sincePromotion(
    watched: Watched,
    {
      asked,
      place,
      figures,
      details,
    }: {
      readonly asked: Asked;
      readonly place: Place;
      readonly figures: Figures;
      readonly details: DetailsAsked;
    },
  ): Promise<Details['since_promotion']> {
    const { tenantId, standing } = watched;
    const { entered, stage, isThere } = place;
    const before = await this.#placing.before(watched, place, asked);
    const after = isThere && stage ? { stage, ...figures } : null;
    return {
      at: entered?.at.toISOString() ?? null,
      changes:
        standing && entered
          ? await this.#history.since(tenantId, standing, entered, { own: details.own })
          : [],
      before: before && (await this.#stageFigures(before)),
      after,
    };
  }

  async #stageFigures(observed: Observed): Promise<StageFigures> {
    return { stage: observed.stage, ...(await this.#figures.figures(observed)) };
  }
}

function summaryOf(
  { tenantId, name, definedBy, seen, standing }: Watched,
  {
    asked,
    place,
    figures,
  }: { readonly asked: Asked; readonly place: Place; readonly figures: Figures },
): Summary {
  const { now, to, thresholds } = asked;
  const { stage, isThere, entered, firstSeen, from, observed } = place;
  const algorithm = standing?.algorithm ?? seen?.algorithm ?? '';
  // Of a quota's levels only the organisation's size is one number.
  const isLevel = standing !== null && standing.name !== name;
  return {
    tenant_id: tenantId,
    limit: name,
    defined_by: definedByOf(definedBy, standing?.definerId ?? null),
    algorithm,
    number: (isLevel ? null : standing?.size) ?? seen?.size ?? 0,
    field: sizeField(algorithm),
    stage: standing?.mode ?? null,
    enforce_from: isoOf(standing?.enforceFromMs ?? null),
    since: entered?.at.toISOString() ?? null,
    since_by: entered && (entered.auditId === null ? 'first_seen' : 'audit'),
    observed: {
      stage,
      from: from.toISOString(),
      to: to.toISOString(),
      subjects_from: (observed?.subjectsFrom ?? from).toISOString(),
      first_seen: firstSeen?.toISOString() ?? null,
    },
    ...figures,
    verdict: {
      ...verdictOn(
        {
          shareOfSubjects: figures.share_of_subjects,
          seenSinceMs: seenSinceMs({ firstSeen, entered, isThere }),
          nowMs: now.getTime(),
        },
        thresholds,
      ),
      thresholds: {
        too_tight_above: thresholds.tooTightAbove,
        too_loose_below: thresholds.tooLooseBelow,
        observe_days: thresholds.observeDays,
      },
    },
  };
}

/** In the hour in which it came into its stage it was not seen there from the beginning. */
function seenSinceMs({
  firstSeen,
  entered,
  isThere,
}: Pick<Place, 'firstSeen' | 'entered' | 'isThere'>): number | null {
  if (!firstSeen) return null;
  return Math.max(firstSeen.getTime(), isThere && entered ? entered.at.getTime() : 0);
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
