import { InvalidInput } from 'sluice';
import { describe, expect, it } from 'vitest';
import { overlaps, requirePattern, requirePatterns } from './patterns.ts';

describe('a pattern', () => {
  it.each([
    'GET:/orders',
    'GET:/orders/{id}',
    '*:/orders/{order_id}/items/*',
    'GET:/files/report-*.csv',
    'any words at all',
    '/*',
    '*',
    'x'.repeat(512),
  ])('may be %j', (text) => expect(() => requirePattern('resource', text)).not.toThrow());

  it.each([
    '',
    'x'.repeat(513),
    'GET:/orders/{id',
    'GET:/orders/id}',
    'GET:/orders/{}',
    'GET:/orders/{a b}',
    'GET:/orders/x{id}',
    'GET:/orders/{{id}}',
    'GET:/**',
    '*a'.repeat(17),
    '/{x}'.repeat(17),
    'GET:/a\u0000b',
    'GET:/a\nb',
    '\ud800',
  ])('must not be %j', (text) => {
    expect(() => requirePattern('resource', text)).toThrow(InvalidInput);
  });

  it('of a limit is named with its place', () => {
    const limit = { name: 'a', algorithm: 'fixed_window', limit: 1, window_seconds: 1 } as const;
    const limits = [limit, { ...limit, resources: ['ok', 'GET:/{'] }];
    expect(() => requirePatterns(limits)).toThrow(/^limits\[1\]\.resources\[1\]: /);
  });
});

describe('two patterns have a resource in common', () => {
  it.each([
    ['GET:/orders', 'GET:/orders'],
    ['GET:/orders/{id}', 'GET:/orders/7'],
    ['GET:/orders/{id}', 'GET:/orders/{other}'],
    ['GET:/orders/*', 'GET:/orders/7/items'],
    ['GET:/orders/*', 'GET:/*'],
    ['*:/orders', 'GET:/*'],
    ['*:/orders', 'GET:/orders'],
    ['GET:/a*', 'GET:/*z'],
    ['GET:/files/report-*.csv', 'GET:/files/*-2026.csv'],
    ['/*', '/*'],
    ['*', 'anything'],
  ])('%s and %s', (one, other) => {
    expect(overlaps(one, other)).toBe(true);
    expect(overlaps(other, one)).toBe(true);
  });

  it.each([
    ['GET:/orders', 'POST:/orders'],
    ['GET:/orders', 'GET:/orders/7'],
    ['GET:/orders/{id}', 'GET:/orders/{id}/items'],
    ['GET:/orders/*', 'GET:/orders'],
    ['GET:/orders/*', 'GET:/users/*'],
    ['GET:/orders/{id}', 'GET:/orders/'],
    ['G*:/orders', 'POST:/orders'],
    ['GET:/a*', 'GET:/b*'],
    ['GET:/*.csv', 'GET:/x*.json'],
    ['*', 'GET:/orders'],
    ['a*b*a', 'aba*c'],
    ['a*a', 'a'],
  ])('but not %s and %s', (one, other) => {
    expect(overlaps(one, other)).toBe(false);
    expect(overlaps(other, one)).toBe(false);
  });
});
