import { parseLimit, type Limit, type Mode } from 'sluice/core';
import type { QuotaSource } from './source.ts';

type Calendar = { readonly timezone: string; readonly billingAnchorDay: number };

/**
 * A tenant's tree of quotas as limits: the organisation's, and within it those of teams and users
 * that have an allocation. Who has none is bounded by its parents only.
 */
export class QuotaLimits {
  readonly organization: Limit;
  readonly #source: QuotaSource;
  readonly #make: (name: string, per: readonly string[], limit: number) => Limit;
  readonly #known = new Map<string, Limit>();

  constructor(
    source: QuotaSource,
    { timezone, billingAnchorDay }: Calendar,
    { nowMs, mode }: { readonly nowMs: number; readonly mode: Exclude<Mode, 'off'> },
  ) {
    this.#source = source;
    const { period, unit } = source;
    const anchor = period === 'month' ? { anchor: billingAnchorDay } : {};
    this.#make = (name, per, limit) =>
      parseLimit(
        { algorithm: 'quota', name, per, limit, unit, mode, period, timezone, ...anchor } as never,
        { definedBy: 'quota', field: name },
      ) as Limit;
    const topUps = source.topUps.filter(({ endsAtMs }) => endsAtMs > nowMs);
    const more = topUps.reduce((sum, { amount }) => sum + amount, 0);
    this.organization = this.#make(source.name, ['tenant'], source.allowance + more);
  }

  teamOf(team: string): Limit | null {
    const { name, teams } = this.#source;
    if (!Object.hasOwn(teams, team)) return null;
    const limit = teams[team]?.limit as number;
    return this.#remember(team, () =>
      this.#make(`${name}/team`, ['tenant', 'attributes.team'], limit),
    );
  }

  userOf(team: string, user: string): Limit | null {
    const { name, teams } = this.#source;
    const users = Object.hasOwn(teams, team) ? (teams[team]?.users ?? {}) : {};
    if (!Object.hasOwn(users, user)) return null;
    const limit = users[user]?.limit as number;
    return this.#remember(`${team}\n${user}`, () =>
      this.#make(`${name}/user`, ['tenant', 'attributes.team', 'attributes.user'], limit),
    );
  }

  /** A user counts only within its team. */
  applying(attributes: Readonly<Record<string, string>>): Limit[] {
    const { team, user } = attributes;
    const limits = [this.organization];
    if (team === undefined) return limits;
    const ofTeam = this.teamOf(team);
    const ofUser = user === undefined ? null : this.userOf(team, user);
    if (ofTeam) limits.push(ofTeam);
    if (ofUser) limits.push(ofUser);
    return limits;
  }

  #remember(key: string, make: () => Limit): Limit {
    let limit = this.#known.get(key);
    if (!limit) this.#known.set(key, (limit = make()));
    return limit;
  }
}
