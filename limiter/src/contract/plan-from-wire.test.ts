import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../core/errors.ts';
import { planFromWire } from './plan-from-wire.ts';
import { policyFromWire } from './policy-from-wire.ts';

const bucket = { algorithm: 'token_bucket', bucket_capacity: 100, refill_rate_per_sec: 20 };
const plan = { tenant_id: 't1', name: 'pro', limits: [bucket] };

function fieldOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidInput) return error.field;
    throw error;
  }
  return 'none';
}

describe('a plan', () => {
  it('in short has one limit, which is named after its algorithm', () => {
    const short = { tenant_id: 't1', name: 'pro', ...bucket };
    expect(planFromWire(short)).toEqual({
      tenant_id: 't1',
      name: 'pro',
      limits: [{ name: 'token_bucket', ...bucket }],
    });
    const log = { name: 'pro', algorithm: 'sliding_window', limit: 5, window_seconds: 1 };
    expect(planFromWire(log).limits.map(({ name }) => name)).toEqual(['sliding_window_log']);
  });

  it('in full has up to 64', () => {
    const limits = Array.from({ length: 64 }, (_, at) => ({ ...bucket, name: `l${at}` }));
    expect(planFromWire({ ...plan, limits }).limits).toEqual(limits);
    expect(fieldOf(() => planFromWire({ ...plan, limits: [...limits, bucket] }))).toBe('limits');
  });

  it('belongs to all tenants when it names none', () => {
    expect(planFromWire({ ...plan, tenant_id: null }).tenant_id).toBeNull();
    expect(planFromWire({ name: 'pro', limits: [bucket] }).tenant_id).toBeNull();
  });

  it('is its own canonical form', () => {
    const canonical = planFromWire(plan);
    expect(planFromWire(canonical)).toEqual(canonical);
  });

  it.each<[string, unknown]>([
    ['plan', null],
    ['plan', [plan]],
    ['name', { ...plan, name: undefined }],
    ['name', { ...plan, name: '' }],
    ['name', { ...plan, name: 'a\nb' }],
    ['tenant_id', { ...plan, tenant_id: '' }],
    ['tenant_id', { ...plan, tenant_id: 5 }],
    ['limits', { name: 'pro' }],
    ['limits', { ...plan, limits: null }],
    ['limits', { ...plan, limits: {} }],
    ['limits', { ...plan, limits: [] }],
    ['limits[0]', { ...plan, limits: [null] }],
    ['limits[0].refill_rate_per_sec', { ...plan, limits: [{ ...bucket, refill_rate_per_sec: 0 }] }],
    ['limits[1].name', { ...plan, limits: [bucket, bucket] }],
    ['limits[1].limit', { ...plan, limits: [bucket, { ...bucket, limit: 5 }] }],
    ['algorithm', { ...plan, algorithm: 'token_bucket' }],
    ['nope', { ...plan, nope: 1 }],
    ['nope', { name: 'pro', ...bucket, nope: 1 }],
    ['bucket_capacity', { name: 'pro', ...bucket, bucket_capacity: 0 }],
    ['window_seconds', { name: 'pro', ...bucket, window_seconds: 60 }],
    ['algorithm', { name: 'pro', algorithm: 'leaky' }],
  ])('is refused by name: %s', (field, wire) => {
    expect(fieldOf(() => planFromWire(wire))).toBe(field);
  });

  it('is named with the path to it', () => {
    const wire = { ...plan, limits: [{ ...bucket, bucket_capacity: 0 }] };
    expect(fieldOf(() => planFromWire(wire, 'plans[3]'))).toBe(
      'plans[3].limits[0].bucket_capacity',
    );
  });
});

describe('a policy', () => {
  const policy = { resource: 'POST:/search' };

  it('may say no more than its resource', () => {
    expect(policyFromWire(policy)).toEqual({
      tenant_id: null,
      resource: 'POST:/search',
      cost: null,
      costs: {},
      max_cost: null,
      limits: [],
      mode: null,
    });
  });

  it('has costs, limits and a mode', () => {
    const whole = {
      tenant_id: 't1',
      resource: 'GET:/orders/{id}',
      cost: 2,
      costs: { elements: 50 },
      max_cost: 100,
      limits: [bucket],
      mode: 'monitor',
    };
    const canonical = policyFromWire(whole);
    expect(canonical).toEqual({
      ...whole,
      limits: [{ name: 'token_bucket', ...bucket }],
      mode: 'shadow',
    });
    expect(policyFromWire(canonical)).toEqual(canonical);
  });

  it.each<[string, unknown]>([
    ['policy', 5],
    ['resource', {}],
    ['resource', { resource: '' }],
    ['tenant_id', { ...policy, tenant_id: 5 }],
    ['cost', { ...policy, cost: -1 }],
    ['costs', { ...policy, costs: 5 }],
    ['costs.elements', { ...policy, costs: { elements: 0.5 } }],
    ['costs.requests', { ...policy, costs: { requests: 1 } }],
    ['max_cost', { ...policy, max_cost: 'a' }],
    ['max_cost', { ...policy, cost: 5, max_cost: 4 }],
    ['limits', { ...policy, limits: null }],
    ['limits[0].algorithm', { ...policy, limits: [{}] }],
    ['mode', { ...policy, mode: 'loud' }],
    ['modes', { ...policy, modes: 'on' }],
  ])('is refused by name: %s', (field, wire) => {
    expect(fieldOf(() => policyFromWire(wire))).toBe(field);
  });
});
