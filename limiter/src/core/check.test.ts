import { describe, expect, it } from 'vitest';
import { bind, isPeek, parseCheck, type Check } from './check.ts';
import { InvalidInput } from './errors.ts';
import type { LimitInput } from './limit-input.ts';
import type { Limit } from './limit.ts';
import { parseLimit } from './parse-limit.ts';

const plain: Check = { subject: 'ann', resource: 'GET:/orders' };

function limitOf(more: Partial<LimitInput> = {}): Limit {
  const input = { algorithm: 'fixed_window', limit: 5, window: '1 s', ...more } as LimitInput;
  return parseLimit(input, { definedBy: 'test', field: 'limit' }) as Limit;
}

function fieldOf(check: object): string {
  try {
    parseCheck(check as Check);
  } catch (error) {
    if (error instanceof InvalidInput) return error.field;
    throw error;
  }
  return 'none';
}

describe('a check', () => {
  it('is filled in with defaults', () => {
    expect(parseCheck(plain)).toEqual({
      ...plain,
      tenant: 'default',
      key: null,
      cost: 1,
      costs: {},
      attributes: {},
      idempotencyKey: null,
      reserve: null,
    });
  });

  it.each<[string, object]>([
    ['check', null as unknown as object],
    ['subjcet', { ...plain, subjcet: 'x' }],
    ['subject', { ...plain, subject: '' }],
    ['subject', { ...plain, subject: 5 }],
    ['subject', { ...plain, subject: undefined }],
    ['subject', { ...plain, subject: 'x'.repeat(1025) }],
    ['subject', { ...plain, subject: '\ud800' }],
    ['resource', { ...plain, resource: '' }],
    ['tenant', { ...plain, tenant: '' }],
    ['cost', { ...plain, cost: -1 }],
    ['cost', { ...plain, cost: 0.5 }],
    ['cost', { ...plain, cost: NaN }],
    ['cost', { ...plain, cost: null }],
    ['cost', { ...plain, cost: 2 ** 51 }],
    ['costs', { ...plain, costs: [] }],
    ['costs.tokens', { ...plain, costs: { tokens: -1 } }],
    ['costs.requests', { ...plain, costs: { requests: 1 } }],
    ['costs', { ...plain, costs: { 'a b': 1 } }],
    ['attributes.plan', { ...plain, attributes: { plan: 5 } }],
    ['idempotencyKey', { ...plain, idempotencyKey: 'short' }],
    ['idempotencyKey', { ...plain, idempotencyKey: 'with spaces in it' }],
    ['reserve.ttlMs', { ...plain, reserve: { ttlMs: 0 } }],
    ['reserve.onExpiry', { ...plain, reserve: { ttlMs: 5, onExpiry: 'drop' } }],
    ['reserve.ttl', { ...plain, reserve: { ttl: 5 } }],
  ])('names %s when that is wrong', (field, check) => {
    expect(fieldOf(check)).toBe(field);
  });

  it('takes a unit and an attribute of any name, those of Object’s own included', () => {
    const names = JSON.parse('{"constructor": 1, "toString": 2}') as Record<string, number>;
    expect(parseCheck({ ...plain, costs: names }).costs).toEqual(names);
    const limit = limitOf({ per: ['attributes.constructor'] });
    expect(bind([limit], parseCheck(plain))[0]?.parts).toEqual([null]);
  });

  it('is a peek when nothing is asked for in any unit', () => {
    expect(isPeek(parseCheck({ ...plain, cost: 0 }))).toBe(true);
    expect(isPeek(parseCheck({ ...plain, cost: 0, costs: { tokens: 0 } }))).toBe(true);
    expect(isPeek(parseCheck({ ...plain, cost: 0, costs: { tokens: 1 } }))).toBe(false);
    expect(isPeek(parseCheck(plain))).toBe(false);
  });
});

describe('binding', () => {
  const check = parseCheck({ ...plain, cost: 3, costs: { tokens: 7 }, attributes: { ip: '::1' } });

  it('gives each limit the cost in its own unit', () => {
    const bound = bind([limitOf(), limitOf({ unit: 'tokens' }), limitOf({ unit: 'bytes' })], check);
    expect(bound.map(({ cost }) => cost)).toEqual([3, 7, 0]);
  });

  it('names whom it counts in one order, without the tenant', () => {
    const limit = limitOf({ per: ['tenant', 'subject', 'attributes.ip', 'resource'] });
    expect(bind([limit], check)[0]?.parts).toEqual(['::1', 'GET:/orders', 'ann']);
    expect(bind([limitOf({ per: ['tenant'] })], check)[0]?.parts).toEqual([]);
  });

  it('counts by API key where the check has one, and as for any absent part where not', () => {
    const per = ['key', 'resource'] as const;
    const limits = [limitOf({ per })];
    const partsOf = (key: string | null) => bind(limits, { ...parseCheck(plain), key })[0]?.parts;
    expect(partsOf('k1')).toEqual(['k1', 'GET:/orders']);
    expect(partsOf(null)).toEqual([null, 'GET:/orders']);
    expect(bind([limitOf({ per, onMissing: 'skip' })], parseCheck(plain))).toEqual([]);
    expect(() => bind([limitOf({ per, onMissing: 'reject' })], parseCheck(plain))).toThrow(
      expect.objectContaining({ field: 'key' }),
    );
  });

  it('shares, skips or rejects an absent attribute, as the limit says', () => {
    const per = ['attributes.team'] as const;
    expect(bind([limitOf({ per, onMissing: 'shared' })], check)[0]?.parts).toEqual([null]);
    expect(bind([limitOf({ per, onMissing: 'skip' })], check)).toEqual([]);
    expect(() => bind([limitOf({ per, onMissing: 'reject' })], check)).toThrow(InvalidInput);
  });
});
