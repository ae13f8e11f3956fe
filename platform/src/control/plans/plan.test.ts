import { InvalidInput } from 'sluice';
import { describe, expect, it } from 'vitest';
import { parsePlan, patchedPlan, type Plan } from './plan.ts';

const bucket = {
  name: 'calls',
  algorithm: 'token_bucket',
  bucket_capacity: 10,
  refill_rate_per_sec: 1,
} as const;
const window = { name: 'day', algorithm: 'fixed_window', limit: 9, window_seconds: 60 } as const;

function planWith(...limits: Plan['limits']): Plan {
  return {
    id: 'x',
    tenant_id: null,
    name: 'pro',
    limits,
    version: 1,
    created_at: '',
    updated_at: '',
  };
}

const patch = (plan: Plan, fields: object) => parsePlan(patchedPlan(plan, { ...fields }));

describe('a patch of a plan', () => {
  it('changes the name and leaves the limits', () => {
    const plan = patch(planWith(bucket, window), { name: 'max' });
    expect(plan).toEqual({ name: 'max', limits: [bucket, window] });
  });

  it('replaces all limits when it gives some', () => {
    expect(patch(planWith(bucket), { limits: [window] }).limits).toEqual([window]);
  });

  it('changes a number of the only limit', () => {
    const plan = patch(planWith(bucket), { bucket_capacity: 20 });
    expect(plan.limits).toEqual([{ ...bucket, bucket_capacity: 20 }]);
  });

  it('to another algorithm keeps the name of the limit and none of its numbers', () => {
    const { name: _, ...fields } = window;
    expect(patch(planWith(bucket), fields).limits).toEqual([{ ...window, name: 'calls' }]);
  });

  it.each([
    ['a number when there are several limits', planWith(bucket, window), { limit: 3 }, 'limit'],
    ['a field that is not known', planWith(bucket), { colour: 1 }, 'limits[0].colour'],
    ["another algorithm's field", planWith(bucket), { limit: 3 }, 'limits[0].limit'],
    ['a number beside limits', planWith(bucket), { limits: [window], limit: 3 }, 'limit'],
    ['the tenant', planWith(bucket), { tenant_id: null }, 'tenant_id'],
  ])('must not have %s', (_what, plan, fields, field) => {
    const attempt = () => patch(plan, fields);
    expect(attempt).toThrow(InvalidInput);
    expect(attempt).toThrow(expect.objectContaining({ field }));
  });
});
