import {
  levelOf,
  parseLimit,
  type BoundLimit,
  type Limit,
  type Mode,
  type PerPart,
} from 'sluice/core';
import type { QuotaSource } from './source.ts';

export type QuotaContext = {
  /** The tenant's: whose midnight it is, and on which day its months begin. */
  readonly calendar: { readonly timezone: string; readonly billingAnchorDay: number };
  /** Which top-ups still count. */
  readonly nowMs: number;
  readonly mode: Mode;
  readonly enforceFromMs?: number | null;
};

export type QuotaLevel = 'organization' | 'team' | 'user';

/** Which branch of a tenant's tree a limit counts. */
export type QuotaBranch = {
  readonly quota: string;
  readonly level: QuotaLevel;
  /** The tenant's id, a team, or a team and a user with a slash between them. */
  readonly entity: string;
};

const definedBy = 'quota';
const sizeMax = 2 ** 50;
const suffixes = { organization: '', team: '/team', user: '/user' } as const;
const pers = {
  organization: ['tenant'],
  team: ['tenant', 'attributes.team'],
  user: ['tenant', 'attributes.team', 'attributes.user'],
} as const satisfies Record<QuotaLevel, readonly PerPart[]>;

/**
 * A tree as the limits that it means. Branches of one size share a limit, for whom it counts comes
 * with the check; so a tree of thousands costs no more than what of it is asked for.
 */
export class QuotaLimits {
  readonly organization: Limit;
  readonly #source: QuotaSource;
  readonly #context: QuotaContext;
  readonly #known = { team: new Map<number, Limit>(), user: new Map<number, Limit>() };

  private constructor(source: QuotaSource, context: QuotaContext) {
    this.#source = source;
    this.#context = context;
    this.organization = this.#parse('organization', allowanceAt(source, context.nowMs));
  }

  /** Null where the quota is off: then it has no limits. */
  static of(source: QuotaSource, context: QuotaContext): QuotaLimits | null {
    return context.mode === 'off' ? null : new QuotaLimits(source, context);
  }

  teamOf(team: string): Limit | null {
    const found = own(this.#source.teams, team);
    return found ? this.#limit('team', found.limit) : null;
  }

  /** A user counts within its team only: the same name elsewhere is somebody else. */
  userOf(team: string, user: string): Limit | null {
    const found = own(own(this.#source.teams, team)?.users ?? {}, user);
    return found ? this.#limit('user', found.limit) : null;
  }

  /** For a check that names its branch. Who has no allocation is bounded by its parents only. */
  applying(attributes: Readonly<Record<string, string>>): Limit[] {
    const team = own(attributes, 'team');
    const user = own(attributes, 'user');
    const ofTeam = team === undefined ? null : this.teamOf(team);
    const ofUser = team === undefined || user === undefined ? null : this.userOf(team, user);
    return [this.organization, ofTeam, ofUser].filter((limit) => limit !== null);
  }

  #limit(level: 'team' | 'user', size: number): Limit {
    const known = this.#known[level];
    let limit = known.get(size);
    if (!limit) known.set(size, (limit = this.#parse(level, size)));
    return limit;
  }

  #parse(level: QuotaLevel, size: number): Limit {
    const { name, period, unit } = this.#source;
    const { calendar, mode, enforceFromMs = null } = this.#context;
    const limit = parseLimit(
      {
        algorithm: 'quota',
        name,
        unit,
        limit: size,
        per: pers[level],
        onMissing: 'skip',
        period: period as 'month',
        timezone: calendar.timezone,
        ...(period === 'month' && { anchor: calendar.billingAnchorDay }),
        mode,
      },
      { definedBy, field: 'quota', enforceFromMs },
    );
    if (!limit) throw new Error('a quota that is off has no limits');
    // A slash is in no name that people give, so that none of theirs is taken for a level.
    return level === 'organization'
      ? limit
      : Object.freeze({ ...limit, name: `${name}${suffixes[level]}` });
  }
}

/** What the organisation may use now. Each part is exact; their sum must stay so too. */
export function allowanceAt(
  { allowance, topUps }: Pick<QuotaSource, 'allowance' | 'topUps'>,
  nowMs: number,
): number {
  const more = topUps.filter(({ endsAtMs }) => endsAtMs > nowMs);
  return Math.min(
    sizeMax,
    more.reduce((sum, { amount }) => sum + amount, allowance),
  );
}

/**
 * A counter's id begins with the length and name of what defines its limit, and only trees are
 * defined by `quota`: known whoever made the limit, an override included.
 */
const treeId = `${definedBy.length}:${definedBy}`;

/** Null for a limit that is of no tree. */
export function branchOf({ limit, parts }: BoundLimit, tenantId: string): QuotaBranch | null {
  if (!limit.counterId.startsWith(treeId)) return null;
  const level = levelOf(limit).name as QuotaLevel;
  const { length } = suffixes[level];
  return {
    quota: length === 0 ? limit.name : limit.name.slice(0, -length),
    level,
    entity: level === 'organization' ? tenantId : parts.map(escaped).join('/'),
  };
}

/** So that `a/b` of a team `c` is not the team `c/a`'s `b`. */
function escaped(part: string | null): string {
  return (part ?? '').replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** Names are people's own: one may be called like what every object has. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
