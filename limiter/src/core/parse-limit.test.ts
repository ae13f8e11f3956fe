import { describe, expect, it } from 'vitest';
import { InvalidInput } from './errors.ts';
import type { LimitInput } from './limit-input.ts';
import { parseLimit } from './parse-limit.ts';

const parse = (input: object) =>
  parseLimit(input as LimitInput, { definedBy: 'test', field: 'limits[0]' });

const bucket = { algorithm: 'token_bucket', capacity: 10, refillPerSecond: 1 };
const window = { algorithm: 'fixed_window', limit: 10, window: '1 s' };
const counter = { ...window, algorithm: 'sliding_window_counter' };

function problemOf(input: object): string {
  try {
    parse(input);
  } catch (error) {
    if (error instanceof InvalidInput) return error.field;
    throw error;
  }
  return 'none';
}

describe('a limit', () => {
  it('is filled in with defaults and frozen', () => {
    const limit = parse(window);
    expect(limit).toMatchObject({
      name: 'fixed_window',
      unit: 'requests',
      per: ['resource', 'subject', 'tenant'],
      mode: 'enforce',
      enforced: true,
      onMissing: 'shared',
      onStoreFailure: 'open',
      penalty: null,
      size: 10,
    });
    expect(Object.isFrozen(limit)).toBe(true);
  });

  it('that is off is none, and is checked all the same', () => {
    expect(parse({ ...window, mode: 'off' })).toBeNull();
    expect(problemOf({ ...window, mode: 'off', limit: -1 })).toBe('limits[0].limit');
  });

  it.each<[string, object]>([
    ['limits[0]', null as unknown as object],
    ['limits[0].algorithm', { ...window, algorithm: 'leaky' }],
    ['limits[0].limti', { ...window, limti: 3 }],
    ['limits[0].capacity', { ...window, capacity: 3 }],
    ['limits[0].limit', { ...window, limit: 0 }],
    ['limits[0].limit', { ...window, limit: 1.5 }],
    ['limits[0].limit', { ...window, limit: '10' }],
    ['limits[0].limit', { ...window, limit: undefined }],
    ['limits[0].window', { ...window, window: 0 }],
    ['limits[0].window', { ...window, window: '10' }],
    ['limits[0].window', { ...window, window: '1 month' }],
    ['limits[0].window', { ...window, window: '4000 days' }],
    ['limits[0].align', { ...window, align: 'noon' }],
    ['limits[0].mode', { ...window, mode: 'audit' }],
    ['limits[0].name', { ...window, name: 'a b' }],
    ['limits[0].unit', { ...window, unit: '' }],
    ['limits[0].per', { ...window, per: [] }],
    ['limits[0].per', { ...window, per: ['user'] }],
    ['limits[0].per', { ...window, per: ['subject', 'subject'] }],
    ['limits[0].onStoreFailure', { ...window, onStoreFailure: 'maybe' }],
    ['limits[0].blockGrowth', { ...window, blockGrowth: 2 }],
    ['limits[0].blockGrowth', { ...window, blockFor: '1 s', blockGrowth: 0.5 }],
    ['limits[0].blockGrowth', { ...window, blockFor: '1 s', blockGrowth: 1.0001 }],
    ['limits[0].blockMax', { ...window, blockFor: '2 s', blockMax: '1 s' }],
    ['limits[0].refillPerSecond', { ...bucket, refillPerSecond: undefined }],
    ['limits[0].refillPerSecond', { ...bucket, refill: { tokens: 1, every: '1 s' } }],
    ['limits[0].refillPerSecond', { ...bucket, refillPerSecond: 0 }],
    ['limits[0].refill.per', { ...bucket, refillPerSecond: undefined, refill: { per: 3 } }],
    ['limits[0].capacity', { ...bucket, capacity: 2 ** 50 }],
    ['limits[0].capacity', { ...bucket, refillPerSecond: 0.000001, capacity: 400 }],
    ['limits[0].limit', { ...window, algorithm: 'sliding_window_log', limit: 10_001 }],
    ['limits[0].limit', { ...counter, limit: 2 ** 40, window: '30 days' }],
    ['limits[0].window', { ...counter, window: '3600000001 us' }],
    ['limits[0].maxConcurrent', { algorithm: 'concurrency', maxConcurrent: 0, staleAfter: 1 }],
    ['limits[0].period', { algorithm: 'quota', limit: 1, period: 'fortnight' }],
  ])('names %s when that is wrong', (field, input) => {
    expect(problemOf(input)).toBe(field);
  });

  it('takes every block growth of up to three decimals', () => {
    const wrong: number[] = [];
    for (let thousandths = 1000; thousandths <= 100_000; thousandths += 7) {
      const limit = parse({ ...window, blockFor: '1 s', blockGrowth: thousandths / 1000 });
      if (limit?.penalty?.growthThousandths !== thousandths) wrong.push(thousandths);
    }
    expect(wrong).toEqual([]);
  });

  it('has a counter that numbers, mode and the order of per don’t change', () => {
    const id = (more: object) => parse({ ...window, ...more })?.counterId;
    expect(id({ limit: 3, mode: 'warn', window: '2 s' })).toBe(id({}));
    expect(id({ per: ['subject', 'tenant', 'resource'] })).toBe(id({}));
    expect(id({ name: 'other' })).not.toBe(id({}));
    expect(id({ unit: 'tokens' })).not.toBe(id({}));
    expect(id({ per: ['tenant'] })).not.toBe(id({}));
    expect(parse(counter)?.counterId).not.toBe(id({ name: 'sliding_window_counter' }));
  });
});
