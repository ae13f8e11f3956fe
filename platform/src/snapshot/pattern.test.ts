import { describe, expect, it } from 'vitest';
import { Pattern } from './pattern.ts';

describe('a pattern', () => {
  it.each([
    ['GET:/orders', 'GET:/orders', true],
    ['GET:/orders', 'GET:/orders/1', false],
    ['GET:/orders', 'POST:/orders', false],
    ['GET:/orders/{id}', 'GET:/orders/1', true],
    ['GET:/orders/{id}', 'GET:/orders/', false],
    ['GET:/orders/{id}', 'GET:/orders/1/items', false],
    ['GET:/orders/{id}/items', 'GET:/orders/1/items', true],
    ['GET:/files/*.png', 'GET:/files/a.png', true],
    ['GET:/files/*.png', 'GET:/files/.png', true],
    ['GET:/files/*.png', 'GET:/files/a/b.png', false],
    ['GET:/files/a*b*c', 'GET:/files/axbyc', true],
    ['GET:/files/a*b*c', 'GET:/files/axyc', false],
    ['GET:/files/ab*ba', 'GET:/files/aba', false],
    ['*:/orders', 'DELETE:/orders', true],
    ['GET:/*', 'GET:/a/b/c', true],
    ['GET:/*', 'POST:/a', false],
    ['GET:/api/*', 'GET:/api/', true],
    ['GET:/api/*', 'GET:/api', false],
    ['*', 'anything', true],
    ['*', 'GET:/a', false],
    ['export', 'export', true],
    ['{}', 'x', false],
  ])('%s on %s: %s', (pattern, resource, expected) => {
    expect(new Pattern(pattern).matches(resource)).toBe(expected);
  });

  it('beats another by what it says exactly, from left to right, then by length', () => {
    const inOrder = [
      'GET:/orders/special/items',
      'GET:/orders/special',
      'GET:/orders/special/*',
      'GET:/orders/{id}/items',
      'GET:/orders/{id}',
      'GET:/orders/a*',
      'GET:/orders/*',
      'GET:/{any}',
      'GET:/*',
      '*:/orders',
      '*',
    ];
    const sorted = inOrder
      .toReversed()
      .map((text) => new Pattern(text))
      .toSorted((a, b) => a.compare(b));
    expect(sorted.map(({ text }) => text)).toEqual(inOrder);
  });

  it('is answered at once for hostile input', () => {
    const pattern = new Pattern(`GET:/${'*a'.repeat(250)}`);
    expect(pattern.matches(`GET:/${'a'.repeat(2000)}b`)).toBe(false);
  });
});
