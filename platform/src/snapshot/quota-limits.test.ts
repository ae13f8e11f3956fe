import { describe, expect, it } from 'vitest';
import { levelOf, parseLimit, periodAt, type BoundLimit, type Limit } from 'sluice/core';
import { allowanceAt, branchOf, QuotaLimits, type QuotaContext } from './quota-limits.ts';
import type { QuotaSource } from './source.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const context: QuotaContext = {
  calendar: { timezone: 'Europe/Berlin', billingAnchorDay: 31 },
  nowMs,
  mode: 'enforce',
};
const source: QuotaSource = {
  name: 'calls',
  period: 'month',
  unit: 'tokens',
  allowance: 1000,
  mode: null,
  teams: {
    eng: { limit: 500, users: { alice: { limit: 100 }, bob: { limit: 100 } } },
    ops: { limit: 500 },
    constructor: { limit: 7, users: { toString: { limit: 3 } } },
  },
  topUps: [],
};

function treeOf(some: Partial<QuotaSource> = {}, more: Partial<QuotaContext> = {}): QuotaLimits {
  const tree = QuotaLimits.of({ ...source, ...some }, { ...context, ...more });
  if (!tree) throw new Error('the tree is off');
  return tree;
}

const sizes = (limits: readonly Limit[]) => limits.map(({ name, size }) => [name, size]);

describe('a tree of allowances', () => {
  it('limits the organisation, its teams and their users, each by what it counts', () => {
    const limits = treeOf().applying({ team: 'eng', user: 'alice' });
    expect(
      limits.map(({ name, size, unit, per, mode }) => ({ name, size, unit, per, mode })),
    ).toEqual(
      [
        { name: 'calls', size: 1000, per: ['tenant'] },
        { name: 'calls/team', size: 500, per: ['attributes.team', 'tenant'] },
        { name: 'calls/user', size: 100, per: ['attributes.team', 'attributes.user', 'tenant'] },
      ].map((limit) => ({ ...limit, unit: 'tokens', mode: 'enforce' })),
    );
    expect(limits.map((limit) => levelOf(limit).name)).toEqual(['organization', 'team', 'user']);
  });

  it.each([
    [{}, ['calls']],
    [{ user: 'alice' }, ['calls']],
    [{ team: 'sales' }, ['calls']],
    [{ team: 'sales', user: 'alice' }, ['calls']],
    [{ team: 'ops' }, ['calls', 'calls/team']],
    // A user counts within its own team only.
    [{ team: 'ops', user: 'alice' }, ['calls', 'calls/team']],
    [{ team: 'eng', user: 'carol' }, ['calls', 'calls/team']],
    // Named like what every object has.
    [{ team: 'hasOwnProperty', user: 'valueOf' }, ['calls']],
    [{ team: 'eng', user: 'constructor' }, ['calls', 'calls/team']],
    [{ team: 'constructor', user: 'toString' }, ['calls', 'calls/team', 'calls/user']],
  ] as const)('bounds %j by %j', (attributes, names) => {
    const limits = treeOf().applying(attributes);
    expect(limits.map(({ name }) => name)).toEqual(names);
  });

  it('adds top-ups to the organisation until they end', () => {
    const topUps = [
      { amount: 50, endsAtMs: nowMs },
      { amount: 200, endsAtMs: nowMs + 1 },
      { amount: 30, endsAtMs: nowMs + 9 },
    ];
    expect(treeOf({ topUps }).organization.size).toBe(1230);
    expect(treeOf({ topUps }, { nowMs: nowMs - 1 }).organization.size).toBe(1280);
    expect(treeOf({ topUps }, { nowMs: nowMs + 9 }).organization.size).toBe(1000);
    expect(sizes(treeOf({ topUps }).applying({ team: 'eng' }))[1]).toEqual(['calls/team', 500]);
    const endless = [{ amount: 2 ** 50, endsAtMs: nowMs + 1 }];
    expect(allowanceAt({ allowance: 2 ** 50, topUps: endless }, nowMs)).toBe(2 ** 50);
  });

  it("follows the tenant's calendar: its time zone, and for months its billing day", () => {
    const periodOf = (period: string) => {
      const { numbers } = treeOf({ period }).organization;
      if (numbers.algorithm !== 'quota') throw new Error('no quota');
      const { startUs, endUs } = periodAt(numbers.calendar, nowMs * 1000);
      return [startUs, endUs].map((us) => new Date(us / 1000).toISOString());
    };
    expect(periodOf('month')).toEqual(['2026-10-30T23:00:00.000Z', '2026-11-29T23:00:00.000Z']);
    expect(periodOf('day')).toEqual(['2026-11-15T23:00:00.000Z', '2026-11-16T23:00:00.000Z']);
    expect(periodOf('year')).toEqual(['2025-12-31T23:00:00.000Z', '2026-12-31T23:00:00.000Z']);
    expect(periodOf('hour')).toEqual(['2026-11-16T12:00:00.000Z', '2026-11-16T13:00:00.000Z']);
    expect(periodOf('week')[0]).toBe('2026-11-15T23:00:00.000Z');
  });

  it('takes the mode it is told, and is nothing when that is off', () => {
    expect(QuotaLimits.of(source, { ...context, mode: 'off' })).toBeNull();
    const enforceFromMs = nowMs + 1000;
    const [organization, team] = treeOf({}, { mode: 'warn', enforceFromMs }).applying({
      team: 'eng',
    });
    expect(organization).toMatchObject({ mode: 'warn', enforced: false, enforceFromMs });
    expect(team).toMatchObject({ mode: 'warn', enforced: false, enforceFromMs });
  });

  it('keeps its counters when numbers change, and has one for each branch', () => {
    const [before, after] = [treeOf(), treeOf({ allowance: 5, teams: { eng: { limit: 1 } } })];
    expect(after.organization.counterId).toBe(before.organization.counterId);
    expect(after.teamOf('eng')?.counterId).toBe(before.teamOf('eng')?.counterId);
    const ids = before.applying({ team: 'eng', user: 'bob' }).map(({ counterId }) => counterId);
    expect(new Set(ids).size).toBe(3);
  });

  it('parses a branch once, however often it is asked for', () => {
    const tree = treeOf();
    expect(tree.teamOf('eng')).toBe(tree.teamOf('eng'));
    expect(tree.userOf('eng', 'alice')).toBe(tree.userOf('eng', 'bob'));
  });
});

describe('the branch of a limit', () => {
  const bound = (limit: Limit | null, ...parts: string[]): BoundLimit => {
    if (!limit) throw new Error('no limit');
    return { limit, parts, cost: 1 };
  };

  it('is known by the limit and whom it counts', () => {
    const tree = treeOf();
    expect(branchOf(bound(tree.organization), 't1')).toEqual({
      quota: 'calls',
      level: 'organization',
      entity: 't1',
    });
    expect(branchOf(bound(tree.teamOf('ops'), 'ops'), 't1')).toEqual({
      quota: 'calls',
      level: 'team',
      entity: 'ops',
    });
    expect(branchOf(bound(tree.userOf('eng', 'alice'), 'eng', 'alice'), 't1')).toEqual({
      quota: 'calls',
      level: 'user',
      entity: 'eng/alice',
    });
  });

  it('is another for every other team and user', () => {
    const limit = treeOf().userOf('eng', 'alice');
    const names = ['a', 'a/b', 'b', '/', 'a%2Fb', '%', 'a/', '/b'];
    const entities = names.flatMap((team) =>
      names.map((user) => branchOf(bound(limit, team, user), 't1')?.entity),
    );
    expect(new Set(entities).size).toBe(names.length ** 2);
  });

  it('is none for a quota of a plan or a policy, whatever it is called', () => {
    const input = { algorithm: 'quota', name: 'calls', limit: 9, period: 'month' } as const;
    for (const definedBy of ['plan', 'policy quota', 'quotas', '5:quota']) {
      const limit = parseLimit({ ...input, per: ['tenant'] }, { definedBy, field: 'x' });
      expect(branchOf(bound(limit), 't1')).toBeNull();
    }
  });
});
