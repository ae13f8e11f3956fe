import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryAdmin } from '../admin/rig.ts';
import { age, crowd, dayMs, see } from './rig.ts';

const window = (more: object = {}) => ({
  name: 'm',
  algorithm: 'fixed_window',
  limit: 10,
  window_seconds: 60,
  mode: 'shadow',
  ...more,
});

onEveryAdmin('a limit', (suite) => {
  let tenantId: string;
  let step: { tenant_id: string; limit: string; reason: string };

  beforeEach(async () => {
    tenantId = await suite.admin.makeTenant();
    step = { tenant_id: tenantId, limit: 'm', reason: 'it is time' };
  });

  async function onPlan(...limits: object[]): Promise<string> {
    const plan = { tenant_id: tenantId, name: 'own', limits };
    const { body } = await suite.admin.post('plans', plan);
    await suite.admin.patch(`tenants/${tenantId}`, { plan_id: body.id });
    return body.id;
  }

  const promote = (more: object = {}) => suite.admin.post('rollout/promote', { ...step, ...more });
  const stepBack = (more: object = {}) =>
    suite.admin.post('rollout/step-back', { ...step, ...more });
  const modeNow = async () => {
    const { body } = await suite.admin.post('policies/explain', {
      tenant_id: tenantId,
      resource: 'GET:/a',
      subject: 'ann',
    });
    return (body['limits'] as { mode: string }[]).map(({ mode }) => mode);
  };
  /** Seen in this stage for ten days, with a share of subjects that is neither too many nor too few. */
  const makeReady = async (stage: 'shadow' | 'warn') => {
    const { db } = suite.rig.database;
    await age(db, tenantId, 10);
    await see(
      db,
      { tenantId, stage, daysAgo: 9, subjects: crowd(100, 2) },
      { tenantId, stage, subjects: crowd(100, 2) },
    );
  };

  describe('is promoted', () => {
    it('from shadow to warn to enforce, and back again', async () => {
      await onPlan(window());
      const first = await promote();
      expect(first).toMatchObject({
        status: 200,
        body: { from: 'shadow', to: 'warn', forced: false, published: true },
      });
      expect(await modeNow()).toEqual(['warn']);
      await makeReady('warn');
      expect((await promote()).body).toMatchObject({ from: 'warn', to: 'enforce', forced: false });
      expect(await modeNow()).toEqual(['enforce']);
      expect(await promote()).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect((await stepBack()).body).toMatchObject({ from: 'enforce', to: 'warn' });
      expect((await stepBack()).body).toMatchObject({ from: 'warn', to: 'shadow' });
      expect(await modeNow()).toEqual(['shadow']);
      expect((await stepBack()).status).toBe(409);
    });

    it('with a date from which it enforces by itself; stepping back takes that away first', async () => {
      await onPlan(window());
      await makeReady('shadow');
      const enforceFrom = new Date(Date.now() + dayMs).toISOString();
      const answer = await promote({ enforce_from: enforceFrom });
      expect(answer.body).toMatchObject({ to: 'warn', enforce_from: enforceFrom });
      const path = `rollout?tenant_id=${tenantId}&limit_name=m`;
      const [report] = (await suite.admin.get(path)).body.items;
      expect(report).toMatchObject({ stage: 'warn', enforce_from: enforceFrom });
      expect((await stepBack()).body).toMatchObject({
        from: 'warn',
        to: 'warn',
        enforce_from: null,
      });
      expect((await stepBack()).body).toMatchObject({ from: 'warn', to: 'shadow' });
      const past = { enforce_from: '2020-01-01T00:00:00Z', force: true };
      expect((await promote(past)).status).toBe(400);
    });

    it('to enforce only when the verdict is ready, or when it is forced', async () => {
      await onPlan(window({ mode: 'warn' }));
      await see(suite.rig.database.db, { tenantId, stage: 'warn', subjects: crowd(10, 5) });
      const refused = await promote();
      expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(refused.body.detail).toContain('too_tight: it would refuse 50 % of subjects');
      expect(await modeNow()).toEqual(['warn']);
      const enforceFrom = new Date(Date.now() + dayMs).toISOString();
      expect((await promote({ enforce_from: enforceFrom })).status).toBe(409);
      // By thresholds of one's own it may be.
      expect((await promote({ too_tight_above: 0.5, observe_days: 0 })).body).toMatchObject({
        to: 'enforce',
        forced: false,
      });
      await stepBack();
      expect((await promote({ force: true })).body).toMatchObject({ to: 'enforce', forced: true });
    });

    it('with an entry in the audit that says on what it was based', async () => {
      await onPlan(window());
      await see(suite.rig.database.db, { tenantId, subjects: crowd(10, 5) });
      const { body } = await promote({ reason: 'they were told' });
      await stepBack({ reason: 'they complained' });
      const { items } = (await suite.admin.get(`audit?tenant_id=${tenantId}&noun=rollout`)).body;
      expect(items).toMatchObject([
        {
          action: 'step_back',
          object_id: body['mode_id'],
          before: { stage: 'warn' },
          after: { stage: 'shadow', reason: 'they complained' },
        },
        {
          action: 'promote',
          actor: 'bootstrap',
          before: { limit: 'm', stage: 'shadow' },
          after: {
            stage: 'warn',
            reason: 'they were told',
            forced: false,
            based_on: [{ verdict: 'too_tight', calls: 115, would_refuse: 25, subjects: 10 }],
          },
        },
      ]);
      expect(JSON.stringify(items)).not.toContain('user:');
      const modes = (await suite.admin.get(`audit?tenant_id=${tenantId}&noun=modes`)).body.items;
      expect(modes).toHaveLength(2);
    });

    it('by name: of the policy that is meant, where several are in several stages', async () => {
      await onPlan(window());
      const policy = await suite.admin.post('policies', {
        tenant_id: tenantId,
        resource: 'GET:/a',
        limits: [window({ mode: 'warn' })],
      });
      const ambiguous = await promote();
      expect(ambiguous).toMatchObject({ status: 400, body: { errors: [{ field: 'policy_id' }] } });
      expect(ambiguous.body.detail + ambiguous.text).toContain('policy GET:/a (warn)');
      const answer = await stepBack({ policy_id: policy.body.id });
      expect(answer.body).toMatchObject({ from: 'warn', to: 'shadow', policy_id: policy.body.id });
      expect(await modeNow()).toEqual(['shadow', 'shadow']);
      expect((await promote()).body['based_on']).toHaveLength(2);
      expect((await promote({ policy_id: tenantId })).status).toBe(400);
    });

    it('also where it is the quota of the tenant', async () => {
      await suite.admin.put(`quotas/${tenantId}`, { name: 'calls', limit: 5, mode: 'shadow' });
      expect((await promote({ limit: 'calls' })).body).toMatchObject({
        from: 'shadow',
        to: 'warn',
      });
      const path = `rollout?tenant_id=${tenantId}&limit_name=calls`;
      const [report] = (await suite.admin.get(path)).body.items;
      expect(report).toMatchObject({ stage: 'warn', defined_by: { kind: 'quota' }, number: 5 });
    });
  });

  it('that guards is stepped back by who confirms it, and needs no word to get stricter', async () => {
    await onPlan(window({ security: true, mode: 'enforce' }));
    expect(await stepBack()).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'confirm' }] },
    });
    expect(await modeNow()).toEqual(['enforce']);
    expect((await stepBack({ confirm: true })).status).toBe(200);
    expect((await stepBack({ confirm: true })).body).toMatchObject({ to: 'shadow' });
    expect((await promote()).body).toMatchObject({ to: 'warn' });
    expect(await modeNow()).toEqual(['warn']);
  });

  it.each([
    [{ limit: 'other' }, 'limit'],
    [{ limit: 5 }, 'limit'],
    [{ reason: '' }, 'reason'],
    [{ reason: undefined }, 'reason'],
    [{ force: 'yes' }, 'force'],
    [{ enforce_from: 'soon' }, 'enforce_from'],
    [{ confirm: true }, 'confirm'],
    [{ too_tight_above: 2 }, 'too_tight_above'],
    [{ policy_id: 5 }, 'policy_id'],
    [{ mode: 'warn' }, 'mode'],
  ])('is not promoted by %j', async (more, field) => {
    await onPlan(window());
    const answer = await promote(more);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('of no tenant is not there', async () => {
    for (const tenant_id of ['x', '00000000-0000-4000-8000-000000000000']) {
      expect((await promote({ tenant_id })).status).toBe(404);
      expect((await stepBack({ tenant_id })).status).toBe(404);
    }
    expect(suite.admin.unexpected).toEqual([]);
  });
});
