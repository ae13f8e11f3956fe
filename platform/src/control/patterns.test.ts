import { describe, expect, it } from 'vitest';
import { overlaps } from './patterns.ts';

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
