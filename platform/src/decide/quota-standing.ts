import { Deadline } from 'sluice';
import {
  periodAt,
  StoreFailure,
  view,
  type BoundLimit,
  type Engine,
  type Limit,
  type PeriodBounds,
} from 'sluice/core';
import type {
  Level,
  ReadStanding,
  Standing,
  StandingQuestion,
} from '../control/quotas/standing.ts';
import { QuotaLimits } from '../snapshot/quota-limits.ts';

/** A call of the store takes so many limits at the most, and other calls wait meanwhile. */
const atOnce = 500;
const answerMsMax = 2000;

/** What is used of a tree, asked of the very counters that checks are decided by. */
export function standingsOf(engine: Pick<Engine, 'inspect'>): ReadStanding {
  const deadline = new Deadline(answerMsMax);
  const inspect = async (question: StandingQuestion, bounds: readonly BoundLimit[]) => {
    const seen: Seen[] = [];
    for (let from = 0; from < bounds.length; from += atOnce) {
      const some = bounds.slice(from, from + atOnce);
      const { nowUs, readings } = await deadline.run(engine.inspect(question.tenant, some));
      readings.forEach((reading, at) => {
        const { used, remaining } = view(some[at] as BoundLimit, reading, nowUs);
        seen.push({ used, remaining, period: reading.state as PeriodBounds });
      });
    }
    return seen;
  };
  return async (question) => {
    const tree = new Tree(question);
    try {
      return tree.standing(await inspect(question, tree.bounds));
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return tree.standing([]);
    }
  };
}

type Seen = { readonly used: number; readonly remaining: number; readonly period: PeriodBounds };

/** The branches in one list, the organisation first, each followed by those below it. */
class Tree {
  readonly bounds: BoundLimit[] = [];
  readonly #question: StandingQuestion;
  readonly #limits: QuotaLimits;

  constructor(question: StandingQuestion) {
    this.#question = question;
    const { quota, topUps, calendar } = question;
    const source = {
      ...quota,
      allowance: quota.limit,
      topUps: topUps.map(({ amount, ends_at: endsAt }) => ({
        amount,
        endsAtMs: Date.parse(endsAt),
      })),
    };
    // What was counted is there to see, also where nothing is refused for it.
    const context = { calendar, nowMs: Date.now(), mode: 'enforce' } as const;
    this.#limits = QuotaLimits.of(source, context) as QuotaLimits;
    this.#add(this.#limits.organization, []);
    for (const [team, { users }] of Object.entries(quota.teams)) {
      this.#add(this.#limits.teamOf(team), [team]);
      for (const user of Object.keys(users))
        this.#add(this.#limits.userOf(team, user), [team, user]);
    }
  }

  #add(limit: Limit | null, parts: readonly string[]): void {
    if (limit) this.bounds.push({ limit, parts, cost: 0 });
  }

  /** Nothing was seen where the store did not answer. */
  standing(seen: readonly Seen[]): Standing {
    let next = 0;
    const level = (): Level => {
      const { used = null, remaining = null } = seen[next] ?? {};
      const limit = this.bounds[next]?.limit.size ?? 0;
      next += 1;
      return { limit, used, remaining };
    };
    const organization = level();
    const teams = Object.entries(this.#question.quota.teams).map(([team, { users }]) => {
      const ofTeam = level();
      const ofUsers = Object.keys(users).map((user) => [user, level()] as const);
      return [team, { ...ofTeam, users: Object.fromEntries(ofUsers) }] as const;
    });
    const period = seen[0]?.period ?? this.#periodNow();
    return { period, organization, teams: Object.fromEntries(teams) };
  }

  #periodNow(): PeriodBounds {
    const { numbers } = this.#limits.organization;
    if (numbers.algorithm !== 'quota') throw new Error('a tree is made of quotas');
    return periodAt(numbers.calendar, Date.now() * 1000);
  }
}
