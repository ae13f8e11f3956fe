import { beforeEach, describe, expect, it } from 'vitest';
import { Compiler } from './compile.ts';
import type { PlanSource, PolicySource, SharedSource, TenantSource } from './source.ts';

const bucket = (name: string, more: object = {}) => ({
  name,
  algorithm: 'token_bucket',
  bucket_capacity: 10,
  refill_rate_per_sec: 1,
  ...more,
});
const plan = (
  id: string,
  limits: readonly object[],
  more: Partial<PlanSource> = {},
): PlanSource => ({
  id,
  name: id,
  version: 1,
  limits,
  ...more,
});
const policy = (resource: string, more: Partial<PolicySource> = {}): PolicySource => ({
  id: resource,
  version: 1,
  resource,
  cost: null,
  costs: {},
  max_cost: null,
  limits: [],
  mode: null,
  ...more,
});
const tenant = (more: Partial<TenantSource> = {}): TenantSource => ({
  id: 't',
  name: 'acme',
  tier: 'free',
  status: 'active',
  timezone: 'UTC',
  billingAnchorDay: 1,
  planId: null,
  generation: 0,
  epoch: { tenant: 1, shared: 1 },
  plans: [],
  policies: [],
  overrides: [],
  blocks: [],
  modes: [],
  quota: null,
  ...more,
});
const shared = (more: Partial<SharedSource> = {}): SharedSource => ({
  epoch: 1,
  plans: [],
  policies: [],
  blocks: [],
  modes: [],
  ...more,
});
const names = (limits: readonly { readonly name: string }[]) => limits.map(({ name }) => name);

describe('a snapshot', () => {
  let compiler: Compiler;
  beforeEach(() => {
    compiler = new Compiler();
  });

  it('is on the plan of its tenant, else on the shared one that its tier names, else on none', () => {
    const plans = [plan('free', [bucket('tier')]), plan('other', [bucket('other')])];
    const own = [plan('own', [bucket('own')])];
    const planOf = (source: TenantSource) =>
      compiler.compile(source, shared({ plans })).rules.plan?.id ?? null;
    expect(planOf(tenant({ planId: 'own', plans: own }))).toBe('own');
    expect(planOf(tenant({ planId: 'other' }))).toBe('other');
    expect(planOf(tenant())).toBe('free');
    expect(planOf(tenant({ tier: 'unheard-of' }))).toBeNull();
  });

  it('chooses among its own plans and the shared ones, and no others', () => {
    const plans = [plan('free', [bucket('tier')])];
    const snapshot = compiler.compile(tenant({ plans: [plan('own', [])] }), shared({ plans }));
    expect(snapshot.rulesOf('own')?.plan?.id).toBe('own');
    expect(snapshot.rulesOf('free')?.plan?.id).toBe('free');
    expect(snapshot.rulesOf('foreign')).toBeNull();
  });

  it('takes cost from the most specific policy that says one, and limits from all that match', () => {
    const policies = [
      policy('GET:/*', { cost: 2, limits: [bucket('wide'), bucket('both')] }),
      policy('GET:/orders', { limits: [bucket('narrow'), bucket('both', { bucket_capacity: 3 })] }),
      policy('POST:/orders', { cost: 9 }),
    ];
    const { rules } = compiler.compile(tenant(), shared({ policies }));
    const orders = rules.resolve('GET:/orders');
    expect(orders.cost).toBe(2);
    expect(orders.counted).toBe('GET:/orders');
    expect(names(orders.limits).toSorted()).toEqual(['both', 'narrow', 'wide']);
    expect(orders.limits.find(({ name }) => name === 'both')?.size).toBe(3);
    expect(rules.resolve('POST:/orders')).toMatchObject({ cost: 9, limits: [] });
    expect(rules.resolve('PUT:/x')).toMatchObject({ cost: 1, counted: 'PUT:/x', policy: null });
  });

  it("lets a tenant's policy stand before a shared one for the same resource", () => {
    const own = policy('GET:/orders', { id: 'own', cost: 5 });
    const common = policy('GET:/orders', { id: 'common', cost: 7 });
    const { rules } = compiler.compile(tenant({ policies: [own] }), shared({ policies: [common] }));
    expect(rules.resolve('GET:/orders').cost).toBe(5);
  });

  it('applies a limit only to the resources it names', () => {
    const limits = [
      bucket('all'),
      bucket('search', { resources: ['POST:/search', 'GET:/find/*'] }),
    ];
    const { rules } = compiler.compile(tenant(), shared({ plans: [plan('free', limits)] }));
    expect(names(rules.resolve('POST:/search').limits)).toEqual(['all', 'search']);
    expect(names(rules.resolve('GET:/find/me').limits)).toEqual(['all', 'search']);
    expect(names(rules.resolve('GET:/other').limits)).toEqual(['all']);
  });

  it("gives a policy's mode to its limits that have none, and leaves out what is off", () => {
    const limits = [
      bucket('quiet'),
      bucket('loud', { mode: 'enforce' }),
      bucket('no', { mode: 'off' }),
    ];
    const policies = [policy('x', { mode: 'shadow', limits })];
    const { rules } = compiler.compile(tenant(), shared({ policies }));
    expect(rules.resolve('x').limits.map(({ name, mode }) => [name, mode])).toEqual([
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
    const [first, second] = compiler.compile(source, shared({ plans })).rules.resolve('x').limits;
    expect(first?.numbers).toMatchObject({ calendar: { timezone: 'Europe/Berlin' } });
    expect(second?.numbers).toMatchObject({ calendar: { timezone: 'Asia/Tokyo' } });
  });

  it('shares compiled limits with every tenant that has the same, and no others', () => {
    const plans = [plan('free', [bucket('tier')])];
    const limitOf = (source: TenantSource, of = shared({ plans })) =>
      compiler.compile(source, of).rules.resolve('x').limits[0];
    const first = limitOf(tenant({ id: 'a' }));
    expect(limitOf(tenant({ id: 'b', timezone: 'Asia/Tokyo' }))).toBe(first);
    const newer = shared({ plans: [plan('free', [bucket('tier')], { version: 2 })] });
    expect(limitOf(tenant({ id: 'a' }), newer)).not.toBe(first);
  });
});
