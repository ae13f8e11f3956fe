import { expect, it, vi } from 'vitest';
import { ExpiringMap } from './expiring-map.ts';

it('forgets an entry at its time, not before', () => {
  const map = new ExpiringMap<string>(10);
  map.set('a', 'kept', { expiresAtUs: 100, nowUs: 0 });
  expect(map.get('a', 99)).toBe('kept');
  expect(map.get('a', 100)).toBeUndefined();
  map.sweep(99);
  expect(map.size).toBe(1);
  map.sweep(100);
  expect(map.size).toBe(0);
});

it('never holds more than it may, and drops no live entry for a new one', () => {
  const map = new ExpiringMap<number>(2);
  expect(map.set('a', 1, { expiresAtUs: 100, nowUs: 0 })).toBe(true);
  expect(map.set('b', 2, { expiresAtUs: 50, nowUs: 0 })).toBe(true);
  expect(map.set('c', 3, { expiresAtUs: 100, nowUs: 49 })).toBe(false);
  expect(map.get('c', 49)).toBeUndefined();
  expect(map.set('a', 4, { expiresAtUs: 100, nowUs: 49 })).toBe(true);
  expect(map.set('c', 3, { expiresAtUs: 100, nowUs: 50 })).toBe(true);
  expect([map.get('a', 50), map.get('b', 50), map.get('c', 50)]).toEqual([4, undefined, 3]);
  expect(map.size).toBe(2);
});

it('that is full is not looked through before an entry has run out', () => {
  const map = new ExpiringMap<number>(1);
  map.set('a', 1, { expiresAtUs: 100, nowUs: 0 });
  const swept = vi.spyOn(map, 'sweep');
  for (let nowUs = 1; nowUs < 100; nowUs += 1) expect(map.hasRoom(nowUs)).toBe(false);
  expect(swept).toHaveBeenCalledTimes(1);
  expect(map.hasRoom(100)).toBe(true);
});

it('that was emptied has room again each time its entries have run out', () => {
  const map = new ExpiringMap<number>(1);
  for (let nowUs = 0; nowUs < 1000; nowUs += 100) {
    expect(map.set(`at ${nowUs}`, nowUs, { expiresAtUs: nowUs + 100, nowUs })).toBe(true);
    expect(map.hasRoom(nowUs + 99)).toBe(false);
  }
});
