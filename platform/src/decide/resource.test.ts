import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeResource } from './resource.ts';

describe('a resource', () => {
  it.each([
    ['GET:/orders', 'GET:/orders'],
    ['get:/orders', 'GET:/orders'],
    ['GET:/', 'GET:/'],
    ['GET:/orders/', 'GET:/orders'],
    ['GET://orders', 'GET:/orders'],
    ['GET:/orders//1', 'GET:/orders/1'],
    ['GET:/./orders/./1', 'GET:/orders/1'],
    ['GET:/a/../orders', 'GET:/orders'],
    ['GET:/../../orders', 'GET:/orders'],
    ['GET:/%6frders', 'GET:/orders'],
    ['GET:/%2e%2e/orders', 'GET:/orders'],
    ['GET:/a%2fb', 'GET:/a%2Fb'],
    ['GET:/orders?page=2', 'GET:/orders'],
    ['GET:/orders#top', 'GET:/orders'],
    ['GET:/orders;v=1/1', 'GET:/orders/1'],
    ['GET:/orders/.hidden', 'GET:/orders/.hidden'],
    ['export', 'export'],
    ['jobs:nightly//x', 'jobs:nightly//x'],
  ])('%s is %s', (given, expected) => {
    expect(normalizeResource(given)).toBe(expected);
  });

  it('has one spelling: normalized again it stays', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), (path) => {
        const once = normalizeResource(`GET:/${path}`);
        expect(normalizeResource(once)).toBe(once);
      }),
    );
  });
});
