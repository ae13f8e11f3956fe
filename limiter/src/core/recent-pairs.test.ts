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

test('what is offered is kept with the second time, and what comes once keeps nothing out', () => {
  const pairs = new RecentPairs<number>(1000);
  pairs.offer('tenant', 'twice', 1);
  expect(pairs.get('tenant', 'twice')).toBeUndefined();
  pairs.offer('tenant', 'twice', 2);
  expect(pairs.get('tenant', 'twice')).toBe(2);
  for (let at = 0; at < 10_000; at += 1) pairs.offer('tenant', `once ${at}`, at);
  expect(pairs.get('tenant', 'twice')).toBe(2);
});

test('of as many as there is room for, nearly all that come again and again are kept', () => {
  const pairs = new RecentPairs<number>(1000);
  for (let round = 0; round < 10; round += 1) {
    for (let at = 0; at < 500; at += 1) {
      if (pairs.get('GET:/orders', `user-${at}`) === undefined) {
        pairs.offer('GET:/orders', `user-${at}`, at);
      }
    }
  }
  let kept = 0;
  for (let at = 0; at < 500; at += 1) {
    if (pairs.get('GET:/orders', `user-${at}`) === at) kept += 1;
  }
  expect(kept).toBeGreaterThan(450);
});

test('which pair was seen is told by both texts', () => {
  const pairs = new RecentPairs<number>(1000);
  for (const [first, second] of [
    ['a', 'bc'],
    ['ab', 'c'],
    ['abc', ''],
    ['', 'abc'],
    ['b', 'ac'],
  ] as const) {
    pairs.offer(first, second, 1);
    expect(pairs.get(first, second)).toBeUndefined();
  }
});
