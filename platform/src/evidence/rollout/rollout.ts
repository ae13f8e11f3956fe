import { sql, type Kysely } from 'kysely';
import { InvalidInput } from 'sluice/core';
import type { Actor } from '../../control/actor.ts';
import { readPage, type Page, type PageQuery } from '../../control/page.ts';
import { parseInstant, parseTenantId } from '../../control/rows.ts';
import type { Tables } from '../../database/index.ts';
import { hourOf, stepMs, type Step } from './figures.ts';
import type { Span, Watched } from './placing.ts';
import { Reporter, type DetailsAsked } from './reporter.ts';
import { definedByPolicy, type Report } from './report.ts';
import { stages } from './stage.ts';
import { isOf, type ReadStanding, type Standing } from './standing.ts';
import { thresholdsDefault, type Thresholds } from './verdict.ts';

export type ThresholdFields = {
  readonly too_tight_above?: number;
  readonly too_loose_below?: number;
  readonly observe_days?: number;
};

export type RolloutQuery = PageQuery &
  ThresholdFields & {
    readonly tenant_id?: string;
    readonly limit_name?: string;
    /** Only limits that the policy for this pattern defines. */
    readonly resource?: string;
    readonly from?: string;
    readonly to?: string;
    readonly step?: Step;
    readonly at_most?: number;
    readonly top?: number;
  };

export type RolloutParts = {
  readonly db: Kysely<Tables>;
  readonly standing: ReadStanding;
  readonly subjectDays: number;
};

const spanDays = 30;
const spanDaysMax = 400;
const pointsMax = 1500;
const hoursByDefault = 72;
const atMostDefault = 0.01;
const topDefault = 20;
const dayMs = 86_400_000;

/** What limits in shadow and warn would do if they were enforced. */
export class Rollout {
  readonly #db: Kysely<Tables>;
  readonly #standing: ReadStanding;
  readonly #reporter: Reporter;

  constructor({ db, standing, subjectDays }: RolloutParts) {
    this.#db = db;
    this.#standing = standing;
    this.#reporter = new Reporter(db, { subjectDays });
  }

  /**
   * What was seen in the span, and of one tenant also what is in shadow or warn and was not seen. In
   * full where a limit is named, else a summary of each.
   */
  async list(actor: Actor, query: RolloutQuery): Promise<Page<Report>> {
    const asked = { ...askedOf(query), details: detailsOf(actor, query) };
    const tenantId = tenantOf(actor, query);
    const standings = new Map<string, readonly Standing[]>();
    const standingOf = async (id: string) => {
      const known = standings.get(id) ?? (await this.#standing(id)) ?? [];
      standings.set(id, known);
      return known;
    };
    const { items: rows, next_cursor: next } = await this.#seen(tenantId, query, asked);
    const watched: Watched[] = [];
    for (const row of rows) {
      watched.push(watchedOf(row, await standingOf(row.tenant_id)));
    }
    if (tenantId !== null && next === null) {
      const known = await this.#known(tenantId, asked);
      watched.push(...unseen(tenantId, await standingOf(tenantId), { query, known }));
    }
    const items: Report[] = [];
    for (const one of watched) items.push(await this.#reporter.report(one, asked));
    return { items, next_cursor: next };
  }

  /** Of limits as they are configured now: what a step of their rollout is based on. */
  async summaries(
    tenantId: string,
    standings: readonly Standing[],
    thresholds: ThresholdFields,
  ): Promise<readonly Report[]> {
    const asked = { ...askedOf(thresholds), details: null };
    const known = await this.#known(tenantId, asked);
    const reports: Report[] = [];
    for (const standing of standings) {
      const watched = watchedAs(tenantId, standing, known);
      reports.push(await this.#reporter.report(watched, asked));
    }
    return reports;
  }

  standing(tenantId: string): Promise<readonly Standing[] | null> {
    return this.#standing(tenantId);
  }

  #seen(
    tenantId: string | null,
    { limit_name: name, resource, limit, cursor }: RolloutQuery,
    { from, to }: Span,
  ) {
    let query = this.#db
      .selectFrom('rollout_limits')
      .selectAll()
      .where(sql<boolean>`EXISTS (SELECT FROM tenants t WHERE t.id = rollout_limits.tenant_id)`)
      .where(isSeenIn({ from, to }));
    if (tenantId !== null) query = query.where('tenant_id', '=', tenantId);
    if (name !== undefined) query = query.where('limit_name', '=', name);
    if (resource !== undefined) query = query.where('defined_by', '=', definedByPolicy(resource));
    return readPage(query, {
      list: 'rollout',
      page: { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) },
      by: 'id',
      isKey: (text) => /^\d{1,15}$/.test(text),
      toItem: (row) => row,
    });
  }

  /** All that was ever seen of a tenant. */
  async #known(tenantId: string, span: Span): Promise<readonly Known[]> {
    const rows = await this.#db
      .selectFrom('rollout_limits')
      .selectAll()
      .select(isSeenIn(span).as('in_span'))
      .where('tenant_id', '=', tenantId)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      name: row.limit_name,
      definedBy: row.defined_by,
      algorithm: row.algorithm,
      size: row.size,
      isInSpan: row.in_span,
    }));
  }
}

function isSeenIn({ from, to }: Pick<Span, 'from' | 'to'>) {
  return sql<boolean>`EXISTS (SELECT FROM rollout_hours h WHERE h.limit_id = rollout_limits.id
    AND h.hour >= ${hourOf(from)} AND h.hour < ${to})`;
}

type Known = NonNullable<Watched['seen']> &
  Pick<Watched, 'name' | 'definedBy'> & { readonly isInSpan: boolean };

type Row = {
  readonly id: number;
  readonly tenant_id: string;
  readonly limit_name: string;
  readonly defined_by: string;
  readonly algorithm: string;
  readonly size: number;
};

function watchedOf(row: Row, standings: readonly Standing[]): Watched {
  const { id, tenant_id: tenantId, limit_name: name, defined_by: definedBy } = row;
  const { algorithm, size } = row;
  const standing = standings.find((one) => isOf(one, { name, definedBy })) ?? null;
  return { tenantId, name, definedBy, seen: { id, algorithm, size }, standing };
}

/** In shadow or warn now, and not among what was seen in the span. */
function unseen(
  tenantId: string,
  standings: readonly Standing[],
  { query, known }: { readonly query: RolloutQuery; readonly known: readonly Known[] },
): Watched[] {
  const { limit_name: named, resource } = query;
  return standings
    .filter(({ mode }) => stages.some((stage) => stage === mode))
    .filter(({ name }) => named === undefined || name === named)
    .filter(({ definedBy }) => resource === undefined || definedBy === definedByPolicy(resource))
    .map((standing) => watchedAs(tenantId, standing, known))
    .filter(({ seen }) => !seen?.isInSpan);
}

function watchedAs(tenantId: string, standing: Standing, known: readonly Known[]) {
  const { name, definedBy } = standing;
  const seen = known.find((row) => row.name === name && row.definedBy === definedBy) ?? null;
  return { tenantId, name, definedBy, seen, standing };
}

/** A tenant's token sees its own; another's is as if there were none. */
function tenantOf(actor: Actor, { tenant_id: asked }: RolloutQuery): string | null {
  const tenantId = asked === undefined ? null : parseTenantId(asked);
  if (actor.tenantId === null) return tenantId;
  return tenantId === null || tenantId === actor.tenantId ? actor.tenantId : nobody;
}

const nobody = '00000000-0000-0000-0000-000000000000';

function askedOf(query: RolloutQuery): Span & { readonly thresholds: Thresholds } {
  const now = new Date();
  const to = query.to === undefined ? now : parseInstant('to', query.to);
  const from =
    query.from === undefined
      ? new Date(to.getTime() - spanDays * dayMs)
      : parseInstant('from', query.from);
  if (from >= to) throw new InvalidInput('from', 'must be before `to`');
  if (to.getTime() - from.getTime() > spanDaysMax * dayMs) {
    throw new InvalidInput('from', `lies over ${spanDaysMax} days before \`to\``);
  }
  const thresholds = {
    tooTightAbove: query.too_tight_above ?? thresholdsDefault.tooTightAbove,
    tooLooseBelow: query.too_loose_below ?? thresholdsDefault.tooLooseBelow,
    observeDays: query.observe_days ?? thresholdsDefault.observeDays,
  };
  if (thresholds.tooLooseBelow > thresholds.tooTightAbove) {
    throw new InvalidInput('too_loose_below', 'must not be above `too_tight_above`');
  }
  return { now, from, to, thresholds };
}

/** Null unless one limit is meant. */
function detailsOf(actor: Actor, query: RolloutQuery): DetailsAsked | null {
  if (query.limit_name === undefined) return null;
  if (query.tenant_id === undefined && actor.tenantId === null) return null;
  const { from, to } = askedOf(query);
  const hours = (to.getTime() - from.getTime()) / stepMs.hour;
  const step = query.step ?? (hours <= hoursByDefault ? 'hour' : 'day');
  if ((to.getTime() - from.getTime()) / stepMs[step] > pointsMax) {
    throw new InvalidInput('from', `lies over ${pointsMax} steps back; use a longer step`);
  }
  const { top = topDefault, at_most: atMost = atMostDefault } = query;
  return { step, top, atMost, own: actor.tenantId !== null };
}
