import { expect, test } from 'vitest';
import { RecentPairs } from './recent-pairs.ts';

test('pairs are told apart by both texts, whichever way they could be joined', () => {
  const pairs = new RecentPairs<number>(10);
  pairs.set('a', 'bc', 1);
  pairs.set('ab', 'c', 2);
  pairs.set('', 'abc', 3);
  expect([pairs.get('a', 'bc'), pairs.get('ab', 'c'), pairs.get('', 'abc')]).toEqual([1, 2, 3]);
  expect(pairs.get('abc', '')).toBeUndefined();
});

test('what was not asked for lately is forgotten first, and never more than twice the bound is held', () => {
  const pairs = new RecentPairs<number>(3);
  for (let at = 0; at < 20; at += 1) {
    pairs.set('tenant', String(at), at);
    expect(pairs.get('tenant', '0')).toBe(0);
  }
  const held = Array.from({ length: 20 }, (_, at) => pairs.get('tenant', String(at)));
  expect(held.filter((value) => value !== undefined).length).toBeLessThanOrEqual(6);
});
