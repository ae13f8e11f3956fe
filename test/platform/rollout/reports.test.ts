import { beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../../../platform/src/evidence/rollout/index.ts';
import { onEveryAdmin } from '../admin/rig.ts';
import { age, all, crowd, dayMs, names, see, type Seen } from './rig.ts';

const window = (more: object = {}) => ({
  name: 'm',
  algorithm: 'fixed_window',
  limit: 10,
  window_seconds: 60,
  mode: 'shadow',
  ...more,
});

onEveryAdmin('a report', (suite) => {
  let tenantId: string;
  let planId: string;

  beforeEach(async () => {
    tenantId = await suite.admin.makeTenant();
    const plan = { tenant_id: tenantId, name: 'own', limits: [window()] };
    planId = (await suite.admin.post('plans', plan)).body.id;
    await suite.admin.patch(`tenants/${tenantId}`, { plan_id: planId });
  });

  const seen = (...some: Omit<Seen, 'tenantId'>[]) =>
    see(suite.rig.database.db, ...some.map((one) => ({ tenantId, ...one })));
  const aged = (days: number) => age(suite.rig.database.db, tenantId, days);
  const list = async (query = '', token?: string) => {
    const path = `rollout?tenant_id=${tenantId}${query}`;
    const { status, body, text } = await suite.admin.get(
      path,
      token === undefined ? {} : { token },
    );
    expect({ status, text }).toMatchObject({ status: 200 });
    return body.items as unknown as Report[];
  };
  const read = async (query = '') => {
    const items = await list(`&limit_name=m${query}`);
    expect(items).toHaveLength(1);
    return items[0] as Required<Report>;
  };

  it('says who would have been refused, how often, and what share that is', async () => {
    await seen({ subjects: { ann: [8, 3, 13], bob: [2, 0], cyd: [6, 1, 11], dan: [4, 0] } });
    const report = await read();
    expect(report).toMatchObject({
      tenant_id: tenantId,
      limit: 'm',
      defined_by: { kind: 'plan', id: planId, resource: null },
      number: 10,
      field: 'limit',
      stage: 'shadow',
      since_by: 'audit',
      calls: 20,
      would_refuse: 4,
      share_of_calls: 0.2,
      subjects: 4,
      refused_subjects: 2,
      share_of_subjects: 0.5,
      sampled: false,
    });
    expect(report.top_subjects).toEqual([
      { subject: 'ann', calls: 8, would_refuse: 3, peak: 13 },
      { subject: 'cyd', calls: 6, would_refuse: 1, peak: 11 },
    ]);
    expect((await read('&top=1')).top_subjects).toHaveLength(1);
  });

  it('adds up nodes: counts are sums, and what others saw refused comes on top', async () => {
    await seen({ subjects: { ann: [8, 3, 13] } }, { subjects: { ann: [5, 0, 4], bob: [1, 0] } });
    const { calls, would_refuse, top_subjects: top } = await read();
    expect({ calls, would_refuse, top }).toEqual({
      calls: 14,
      would_refuse: 3,
      top: [{ subject: 'ann', calls: 13, would_refuse: 3, peak: 13 }],
    });
  });

  it('goes over time, step by step, with nothing where nothing came', async () => {
    await aged(20);
    await seen(
      { daysAgo: 3, subjects: { ann: [8, 3], bob: [2, 0] } },
      { daysAgo: 1, subjects: { ann: [1, 0] } },
    );
    const from = new Date(Date.now() - 4 * dayMs).toISOString();
    const days = await read(`&from=${from}&step=day`);
    expect(days.series).toHaveLength(5);
    expect(days.series.map(({ calls }) => calls).filter((calls) => calls > 0)).toEqual([10, 1]);
    const busy = days.series.find(({ calls }) => calls === 10);
    expect(busy).toMatchObject({ would_refuse: 3, subjects: 2, refused_subjects: 1 });
    expect(busy).toMatchObject({ share_of_calls: 0.3, share_of_subjects: 0.5 });
    const hours = await read(`&from=${from}&step=hour`);
    expect(hours.series.length).toBeGreaterThanOrEqual(96);
    expect(hours.series.reduce((sum, { calls }) => sum + calls, 0)).toBe(11);
    const empty = hours.series.find(({ calls }) => calls === 0);
    expect(empty).toMatchObject({ subjects: 0, share_of_calls: null, share_of_subjects: null });
    const late = await read(`&from=${new Date(Date.now() - 2 * dayMs).toISOString()}`);
    expect(late).toMatchObject({ calls: 1, subjects: 1, refused_subjects: 0 });
  });

  describe('ends in a verdict', () => {
    const verdictOf = async (size: number, refused: number) => {
      const once = { 'user:0': [1, 0] } as const;
      await seen(
        { subjects: crowd(size, refused) },
        { daysAgo: 5.5, subjects: once },
        { daysAgo: 8, subjects: once },
      );
      return (await read()).verdict;
    };

    it('too_tight above 5 % of subjects', async () => {
      await aged(10);
      const { verdict, reason } = await verdictOf(100, 6);
      expect(verdict).toBe('too_tight');
      expect(reason).toContain('6 % of subjects');
    });

    it('too_loose under 0.1 %', async () => {
      await aged(10);
      expect((await verdictOf(1001, 1)).verdict).toBe('too_loose');
    });

    it('observe_longer before 7 days in the stage', async () => {
      await aged(6);
      expect((await verdictOf(100, 5)).verdict).toBe('observe_longer');
    });

    it('observe_longer while nothing was seen', async () => {
      await aged(30);
      expect((await read()).verdict.verdict).toBe('observe_longer');
    });

    it('ready otherwise', async () => {
      await aged(10);
      const { verdict, thresholds } = await verdictOf(100, 5);
      expect(verdict).toBe('ready');
      expect(thresholds).toEqual({
        too_tight_above: 0.05,
        too_loose_below: 0.001,
        observe_days: 7,
      });
    });

    it('by other thresholds when they are given', async () => {
      await aged(6);
      const verdict = async (query: string) => (await read(query)).verdict.verdict;
      expect((await verdictOf(100, 5)).verdict).toBe('observe_longer');
      expect(await verdict('&observe_days=5')).toBe('ready');
      expect(await verdict('&observe_days=5&too_tight_above=0.04')).toBe('too_tight');
      expect(await verdict('&observe_days=5&too_loose_below=0.05&too_tight_above=1')).toBe('ready');
      expect(await verdict('&too_loose_below=0.051&too_tight_above=1')).toBe('too_loose');
    });
  });

  describe('knows since when the limit is in its stage', () => {
    it('by its own mode in the plan, and by an entry for it', async () => {
      await aged(10);
      const entered = async () => Date.parse((await read()).since as string);
      expect(Math.round((Date.now() - (await entered())) / dayMs)).toBe(10);
      await suite.admin.patch(`plans/${planId}`, { limits: [window({ limit: 12 })] });
      expect(Math.round((Date.now() - (await entered())) / dayMs)).toBe(10);
      await suite.admin.patch(`plans/${planId}`, { limits: [window({ mode: 'warn' })] });
      expect(Date.now() - (await entered())).toBeLessThan(60_000);
      await aged(5);
      const target = { scope: 'limit', tenant_id: tenantId, limit: 'm' };
      await suite.admin.put('modes', { ...target, mode: 'shadow' });
      expect(Date.now() - (await entered())).toBeLessThan(60_000);
      await aged(5);
      // Where an entry for the limit says its mode, what the tenant is set to does not count.
      await suite.admin.put('modes', { scope: 'tenant', tenant_id: tenantId, mode: 'warn' });
      expect(Math.round((Date.now() - (await entered())) / dayMs)).toBe(5);
      const enforceFrom = new Date(Date.now() + dayMs).toISOString();
      await suite.admin.put('modes', { ...target, mode: 'shadow', enforce_from: enforceFrom });
      expect(Math.round((Date.now() - (await entered())) / dayMs)).toBe(5);
    });

    it('by when it was first seen there, where the audit knows nothing', async () => {
      await suite.rig.database.db
        .deleteFrom('audit_entries')
        .where('tenant_id', '=', tenantId)
        .execute();
      await seen(
        { daysAgo: 9, subjects: crowd(100, 3) },
        { daysAgo: 8, stage: 'warn', subjects: crowd(100, 3) },
        { daysAgo: 3, subjects: crowd(100, 3) },
        { daysAgo: 2, subjects: crowd(100, 3) },
      );
      const report = await read();
      expect(report.since_by).toBe('first_seen');
      expect(Math.round((Date.now() - Date.parse(report.since as string)) / dayMs)).toBe(3);
      expect(report).toMatchObject({ subjects: 100, verdict: { verdict: 'observe_longer' } });
    });
  });

  it('suggests the number that refuses at most a share of subjects', async () => {
    const subjects = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`user:${at}`, [1, 0, at + 1] as const]),
    );
    await seen({ subjects });
    const suggested = async (query: string) => (await read(query)).suggestion;
    expect(await suggested('')).toEqual({
      at_most: 0.01,
      field: 'limit',
      number: 99,
      known: 'exact',
    });
    expect((await suggested('&at_most=0')).number).toBe(100);
    expect((await suggested('&at_most=0.29')).number).toBe(71);
    expect((await suggested('&at_most=0.295')).number).toBe(71);
    expect((await suggested('&at_most=1')).number).toBe(1);
    const { alternatives } = await read();
    expect(alternatives.length).toBeLessThan(100);
    expect(alternatives.slice(-60).map(({ number }) => number)).toEqual(
      Array.from({ length: 60 }, (_, at) => at + 41),
    );
    expect(alternatives[0]).toEqual({ number: 1, refused_subjects: 99, share_of_subjects: 0.99 });
    for (const { number, refused_subjects: refused } of alternatives) {
      expect(refused).toBe(100 - number);
    }
  });

  it('says that it is a sample, and of what size, where there are too many to follow', async () => {
    const half = all / 2;
    const subjects = crowd(400, 200);
    const sampled = Object.keys(subjects).filter((one) => names.pointOf(tenantId, one) < half);
    // One node or hour followed all of them, another half: then half is what all have followed.
    await seen({ subjects: crowd(400, 200) }, { daysAgo: 0.2, below: half, subjects });
    await aged(2);
    const report = await read();
    expect(report).toMatchObject({
      sampled: true,
      sample: { share: 0.5, subjects: sampled.length },
    });
    expect(report.subjects).toBe(sampled.length * 2);
    expect(report.calls).toBe(2 * (200 * 20 + 200 * 3));
    expect(report.suggestion.known).toBe('estimate');
    expect(report.top_subjects.every(({ subject }) => sampled.includes(subject))).toBe(true);
  });

  it('tells what changed since the last promotion, and how it was before', async () => {
    await aged(10);
    await seen({ daysAgo: 5, subjects: crowd(10, 4) });
    const step = { tenant_id: tenantId, limit: 'm', reason: 'it is time' };
    await suite.admin.post('rollout/promote', step);
    await seen({ stage: 'warn', subjects: crowd(10, 1) });
    await suite.admin.patch(`plans/${planId}`, {
      limits: [window({ limit: 15 }), window({ name: 'n' })],
    });
    await suite.admin.patch(`plans/${planId}`, { limits: [window({ limit: 15 })] });
    await suite.admin.post('overrides', { ...step, limit: 'n', numbers: { limit: 1 } });
    const numbers = { numbers: { limit: 20 } };
    const override = await suite.admin.post('overrides', { ...step, ...numbers });
    const { since_promotion: since, ...report } = await read();
    expect(report).toMatchObject({ stage: 'warn', calls: 47, refused_subjects: 1 });
    expect(since.before).toMatchObject({ stage: 'shadow', subjects: 10, refused_subjects: 4 });
    expect(since.after).toMatchObject({ stage: 'warn', subjects: 10, refused_subjects: 1 });
    expect(since.at).toBe(report.since);
    expect(since.changes).toMatchObject([
      { noun: 'overrides', action: 'create', object_id: override.body.id },
      { noun: 'plans', action: 'update', object_id: planId },
    ]);
  });

  it('is listed while it is in a stage, or was in the span', async () => {
    const policy = {
      tenant_id: tenantId,
      resource: 'GET:/a',
      limits: [window({ name: 'p', mode: 'warn' }), window({ name: 'e', mode: 'enforce' })],
    };
    await suite.admin.post('policies', policy);
    await seen(
      { subjects: { ann: [1, 0] } },
      { name: 'gone', subjects: { ann: [2, 0] } },
      { name: 'e', stage: 'warn', definedBy: 'policy GET:/a', subjects: { ann: [5, 0] } },
      { name: 'old', daysAgo: 50, subjects: { ann: [1, 0] } },
    );
    const items = await list();
    expect(items.map(({ limit, stage, calls }) => [limit, stage, calls])).toEqual([
      ['m', 'shadow', 1],
      ['gone', null, 2],
      ['e', 'enforce', 5],
      ['p', 'warn', 0],
    ]);
    expect(items.every((one) => !('series' in one))).toBe(true);
    expect(items[2]).toMatchObject({
      defined_by: { kind: 'policy', resource: 'GET:/a' },
      observed: { stage: 'warn' },
    });
    const ofPolicy = await list('&resource=GET:/a');
    expect(ofPolicy.map(({ limit }) => limit)).toEqual(['e', 'p']);
    const everybodys = await suite.admin.get('rollout?limit_name=gone');
    expect(everybodys.body.items).toMatchObject([{ tenant_id: tenantId, limit: 'gone' }]);
    const page = await suite.admin.get(`rollout?tenant_id=${tenantId}&limit=2`);
    expect(page.body.items).toHaveLength(2);
    const next = await suite.admin.get(
      `rollout?tenant_id=${tenantId}&limit=2&cursor=${page.body.next_cursor}`,
    );
    expect(next.body.items.map((one) => one['limit'])).toEqual(['e', 'p']);
  });

  it("is a tenant's own only, whatever its token asks for", async () => {
    await seen({ subjects: { ann: [1, 0] } });
    const other = await suite.admin.makeTenant();
    const { token } = await suite.admin.makeToken('viewer', other);
    expect(await list('', token)).toEqual([]);
    expect(await list('&limit_name=m', token)).toEqual([]);
    expect((await suite.admin.get('rollout', { token })).text).not.toContain(tenantId);
    const own = (await suite.admin.makeToken('viewer', tenantId)).token;
    const mine = await suite.admin.get('rollout?limit_name=m', { token: own });
    expect(mine.body.items).toMatchObject([{ tenant_id: tenantId, step: 'day' }]);
  });

  it.each([
    ['tenant_id=x', 'tenant_id'],
    ['from=yesterday', 'from'],
    ['from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z', 'from'],
    ['from=2020-01-01T00:00:00Z&to=2022-01-01T00:00:00Z', 'from'],
    ['TENANT&limit_name=m&step=hour&from=2025-01-01T00:00:00Z&to=2025-09-01T00:00:00Z', 'from'],
    ['step=minute', 'step'],
    ['at_most=1.1', 'at_most'],
    ['top=0', 'top'],
    ['top=1000', 'top'],
    ['too_tight_above=-1', 'too_tight_above'],
    ['too_tight_above=0.01&too_loose_below=0.02', 'too_loose_below'],
    ['observe_days=1000', 'observe_days'],
    [`limit_name=${'x'.repeat(200)}`, 'limit_name'],
    ['cursor=abc', 'cursor'],
    ['subject=ann', 'subject'],
  ])('refuses %s', async (query, field) => {
    const path = `rollout?${query.replace('TENANT', `tenant_id=${tenantId}`)}`;
    const { status, body } = await suite.admin.get(path);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ field }] });
  });

  it('went wrong nowhere in a way that nobody foresaw', () => {
    expect(suite.admin.unexpected).toEqual([]);
  });
});
