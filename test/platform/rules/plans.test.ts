import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { onEveryStack } from '../rig/stacks.ts';
import { window } from './window.ts';

type Shown = { readonly name: string; readonly limit: number; readonly used: number };

onEveryStack('plans and costs', (rig) => {
  const onTemplate = async (template: string) => {
    const tenant = await rig.client.makeTenant({ limits: [] });
    const plan = await rig.client.change('POST', 'plans', { template, tenant_id: tenant.id });
    await rig.client.change('PATCH', `tenants/${tenant.id}`, { plan_id: plan['id'] });
    return tenant;
  };
  const limitsOf = async (key: string, resource: string) => {
    const { body } = await rig.client.check(key, { resource, subject: 'me', cost: 0 });
    return Object.fromEntries((body.limits as Shown[]).map(({ name, limit }) => [name, limit]));
  };

  it.each([
    ['free', { requests: 60, searches: 20, exports: 5, units: 100, 'user-requests': 6 }],
    ['starter', { requests: 300, searches: 100, exports: 50, units: 500, 'user-requests': 30 }],
    [
      'business',
      { requests: 3000, searches: 500, exports: 200, units: 5000, 'user-requests': 300 },
    ],
    [
      'enterprise',
      { requests: 10_000, searches: 2000, exports: 1000, units: 50_000, 'user-requests': 1000 },
    ],
  ])('%s is a template with its numbers', async (template, numbers) => {
    const { key } = await onTemplate(template);
    const search = await limitsOf(key, 'POST:/search');
    const exported = await limitsOf(key, 'POST:/export');
    expect({ ...search, ...exported }).toEqual(numbers);
    expect(Object.keys(await limitsOf(key, 'GET:/items/1')).toSorted()).toEqual([
      'requests',
      'units',
      'user-requests',
    ]);
  });

  it.each([
    ['GET:/items/1', 1, 100],
    ['POST:/search', 10, 10],
    ['POST:/export', 50, 2],
  ])("free's units buy so many of %s", async (resource, units, times) => {
    const tenant = await onTemplate('free');
    for (const template of ['item', 'search', 'export', 'others']) {
      await rig.client.change('POST', 'policies', { template, tenant_id: tenant.id });
    }
    // So that nothing but units decides: many users, and more requests than a minute has.
    await rig.client.change('POST', 'overrides', {
      tenant_id: tenant.id,
      limit: 'requests',
      numbers: { limit: 100_000 },
      reason: 'only units are looked at here',
    });
    // All at once: the minute may turn between two calls, and not within one.
    const checks = Array.from({ length: times + 1 }, () => ({ resource, subject: randomUUID() }));
    const { body } = await rig.client.checks(tenant.key, checks);
    const decisions = body as unknown as { allowed: boolean; costs: { units: number } }[];
    expect(decisions.map(({ allowed }) => allowed)).toEqual([
      ...Array.from({ length: times }, () => true),
      false,
    ]);
    expect(decisions[0]?.costs).toEqual({ units });
  });

  it('let a call say its own cost, up to what the policy allows', async () => {
    const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 100)] });
    await rig.client.change('POST', 'policies', {
      tenant_id: id,
      resource: 'POST:/import',
      cost: 10,
      max_cost: 50,
    });
    const ask = (cost?: number) =>
      rig.client.check(key, {
        resource: 'POST:/import',
        subject: 'me',
        ...(cost !== undefined && { cost }),
      });
    expect((await ask()).body).toMatchObject({ cost: 10, remaining: 90 });
    expect((await ask(50)).body).toMatchObject({ cost: 50, remaining: 40 });
    expect(await ask(51)).toMatchObject({ status: 400, body: { errors: [{ field: 'cost' }] } });
    expect((await ask(0)).body).toMatchObject({ allowed: true, remaining: 40 });
  });

  it('carry usage over to the next plan mid-period where the names agree', async () => {
    const { id, key } = await rig.client.makeTenant({
      limits: [
        window('calls', 5),
        { name: 'month', algorithm: 'quota', period: 'month', limit: 100, per: ['tenant'] },
      ],
    });
    const ask = () => rig.client.check(key, { resource: 'x', subject: 'me' });
    for (let call = 0; call < 5; call += 1) await ask();
    expect((await ask()).status).toBe(429);
    const next = await rig.client.change('POST', 'plans', {
      tenant_id: id,
      name: 'next',
      limits: [
        window('calls', 8),
        { name: 'month', algorithm: 'quota', period: 'month', limit: 10, per: ['tenant'] },
      ],
    });
    await rig.client.change('PATCH', `tenants/${id}`, { plan_id: next['id'] });
    const { body } = await ask();
    const used = (body.limits as Shown[]).map(({ name, used: count }) => [name, count]);
    expect(used).toEqual([
      ['calls', 6],
      ['month', 6],
    ]);
    await ask();
    await ask();
    expect((await ask()).body.blocked_by).toMatchObject({ limit: 'calls' });
  });

  it('changed under load never admit more than the new limit, and reset nothing', async () => {
    const { key, planId } = await rig.client.makeTenant({ limits: [window('calls', 100)] });
    const burst = async (count: number) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () =>
          rig.client.check(key, { resource: 'x', subject: 'me' }),
        ),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    expect(await burst(40)).toBe(40);
    const change = (limit: number) =>
      rig.client.change('PATCH', `plans/${planId}`, { limits: [window('calls', limit)] });
    await change(50);
    expect(await burst(30)).toBe(10);
    await change(200);
    expect(await burst(200)).toBe(150);
  });

  it('that are wrong are never active, and an earlier one is back at once', async () => {
    const good = [window('calls', 100)];
    const { key, planId } = await rig.client.makeTenant({ limits: good });
    const limit = async () =>
      (await rig.client.check(key, { resource: 'x', subject: 'me', cost: 0 })).body.limit;
    const wrong = { limits: [window('calls', 0)] };
    expect((await rig.client.admin('PATCH', `plans/${planId}`, wrong)).status).toBe(400);
    expect(await limit()).toBe(100);
    await rig.client.change('PATCH', `plans/${planId}`, { limits: [window('calls', 1)] });
    expect(await limit()).toBe(1);
    await rig.client.change('PATCH', `plans/${planId}`, { limits: good });
    expect(await limit()).toBe(100);
  });
});
