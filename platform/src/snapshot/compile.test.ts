import { beforeEach, describe, expect, it } from 'vitest';
import { Compiler } from './compile.ts';
import type { TenantSource } from './source.ts';
import { bucket, limitsFor, names, nowMs, plan, policy, shared, tenant } from './test-sources.ts';

describe('a snapshot', () => {
  let compiler: Compiler;
  beforeEach(() => {
    compiler = new Compiler();
  });

  it('is on the plan of its tenant, else on the shared one that its tier names, else on none', () => {
    const plans = [plan('free', [bucket('tier')]), plan('other', [bucket('other')])];
    const own = [plan('own', [bucket('own')])];
    const planOf = (source: TenantSource) =>
      compiler.compile(source, shared({ plans }), nowMs).rules.plan?.id ?? null;
    expect(planOf(tenant({ planId: 'own', plans: own }))).toBe('own');
    expect(planOf(tenant({ planId: 'other' }))).toBe('other');
    expect(planOf(tenant())).toBe('free');
    expect(planOf(tenant({ tier: 'unheard-of' }))).toBeNull();
  });

  it('chooses among its own plans and the shared ones, and no others', () => {
    const plans = [plan('free', [bucket('tier')])];
    const snapshot = compiler.compile(
      tenant({ plans: [plan('own', [])] }),
      shared({ plans }),
      nowMs,
    );
    expect(snapshot.rulesOf('own')?.plan?.id).toBe('own');
    expect(snapshot.rulesOf('free')?.plan?.id).toBe('free');
    expect(snapshot.rulesOf('foreign')).toBeNull();
    // As often as they are chosen: they are not made for each check.
    expect(snapshot.rulesOf('free')).toBe(snapshot.rulesOf('free'));
  });

  it('takes cost from the most specific policy that says one, and limits from all that match', () => {
    const policies = [
      policy('GET:/*', { cost: 2, limits: [bucket('wide'), bucket('both')] }),
      policy('GET:/orders', { limits: [bucket('narrow'), bucket('both', { bucket_capacity: 3 })] }),
      policy('POST:/orders', { cost: 9 }),
    ];
    const { rules } = compiler.compile(tenant(), shared({ policies }), nowMs);
    const orders = rules.resolve('GET:/orders');
    expect(orders.cost).toBe(2);
    expect(orders.counted).toBe('GET:/orders');
    expect(names(limitsFor(rules, 'GET:/orders')).toSorted()).toEqual(['both', 'narrow', 'wide']);
    expect(limitsFor(rules, 'GET:/orders').find(({ name }) => name === 'both')?.size).toBe(3);
    expect(rules.resolve('POST:/orders').cost).toBe(9);
    expect(limitsFor(rules, 'POST:/orders')).toEqual([]);
    expect(rules.resolve('PUT:/x')).toMatchObject({ cost: 1, counted: 'PUT:/x', policy: null });
  });

  it("lets a tenant's policy stand before a shared one for the same resource", () => {
    const own = policy('GET:/orders', { id: 'own', cost: 5 });
    const common = policy('GET:/orders', { id: 'common', cost: 7 });
    const { rules } = compiler.compile(
      tenant({ policies: [own] }),
      shared({ policies: [common] }),
      nowMs,
    );
    expect(rules.resolve('GET:/orders').cost).toBe(5);
  });

  it('applies a limit only to the resources it names', () => {
    const limits = [
      bucket('all'),
      bucket('search', { resources: ['POST:/search', 'GET:/find/*'] }),
    ];
    const { rules } = compiler.compile(tenant(), shared({ plans: [plan('free', limits)] }), nowMs);
    expect(names(limitsFor(rules, 'POST:/search'))).toEqual(['all', 'search']);
    expect(names(limitsFor(rules, 'GET:/find/me'))).toEqual(['all', 'search']);
    expect(names(limitsFor(rules, 'GET:/other'))).toEqual(['all']);
  });

  it("gives a policy's mode to its limits that have none, and leaves out what is off", () => {
    const limits = [
      bucket('quiet'),
      bucket('loud', { mode: 'enforce' }),
      bucket('no', { mode: 'off' }),
    ];
    const policies = [policy('x', { mode: 'shadow', limits })];
    const { rules } = compiler.compile(tenant(), shared({ policies }), nowMs);
    expect(limitsFor(rules, 'x').map(({ name, mode }) => [name, mode])).toEqual([
      ['quiet', 'shadow'],
      ['loud', 'enforce'],
    ]);
  });

  it("counts a quota by its tenant's calendar unless it has its own", () => {
    const quota = { name: 'q', algorithm: 'quota', limit: 5, period: 'month' };
    const plans = [
      plan('free', [quota, { ...quota, name: 'z', timezone: 'Asia/Tokyo', anchor: 3 }]),
    ];
    const source = tenant({ timezone: 'Europe/Berlin', billingAnchorDay: 15 });
    const { rules } = compiler.compile(source, shared({ plans }), nowMs);
    const [first, second] = limitsFor(rules, 'x');
    expect(first?.numbers).toMatchObject({ calendar: { timezone: 'Europe/Berlin' } });
    expect(second?.numbers).toMatchObject({ calendar: { timezone: 'Asia/Tokyo' } });
  });

  it('shares compiled limits with every tenant that has the same, and no others', () => {
    const plans = [plan('free', [bucket('tier')])];
    const limitOf = (source: TenantSource, of = shared({ plans })) =>
      limitsFor(compiler.compile(source, of, nowMs).rules, 'x')[0];
    const first = limitOf(tenant({ id: 'a' }));
    expect(limitOf(tenant({ id: 'b', timezone: 'Asia/Tokyo' }))).toBe(first);
    const newer = shared({ plans: [plan('free', [bucket('tier')], { version: 2 })] });
    expect(limitOf(tenant({ id: 'a' }), newer)).not.toBe(first);
  });
});
