import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../core/errors.ts';
import { requirePattern, requirePatterns } from './resource-pattern.ts';

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
