import { expect, it } from 'vitest';
import {
  concurrency,
  freeSlot,
  renewSlot,
  takeSlot,
  type ConcurrencyState,
} from './concurrency.ts';

const numbers = { slots: 2, staleAfterUs: 100 };

function held(...holders: [string, number][]): ConcurrencyState {
  const state: ConcurrencyState = { holders: [] };
  for (const [id, expiresAtUs] of holders) takeSlot(state, { id, expiresAtUs }, 0);
  return state;
}

it('keeps holders by expiry, whatever the order they came in', () => {
  const state = held(['c', 30], ['a', 10], ['b', 20]);
  expect(state.holders.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

it('counts holders until the microsecond of their expiry', () => {
  const state = held(['a', 10], ['b', 20]);
  expect(concurrency.admits(numbers, state, 1, 9)).toBe(false);
  expect(concurrency.admits(numbers, state, 1, 10)).toBe(true);
  expect(concurrency.read(numbers, state, 1, 10)).toEqual({ used: 1, soonestUs: 20, latestUs: 20 });
  expect(concurrency.read(numbers, state, 1, 20)).toEqual({ used: 0, soonestUs: 0, latestUs: 0 });
});

it('drops expired holders when a new one comes', () => {
  const state = held(['a', 10], ['b', 20]);
  takeSlot(state, { id: 'c', expiresAtUs: 40 }, 15);
  expect(state.holders.map(({ id }) => id)).toEqual(['b', 'c']);
});

it('frees and renews only what has not expired', () => {
  const state = held(['a', 10], ['b', 20], ['c', 30]);
  expect(freeSlot(state, 'nobody', 5)).toBe(false);
  expect(freeSlot(state, 'a', 10)).toBe(false);
  expect(freeSlot(state, 'b', 10)).toBe(true);
  expect(freeSlot(state, 'b', 10)).toBe(false);
  expect(renewSlot(state, { id: 'c', expiresAtUs: 90 }, 29)).toBe(true);
  expect(renewSlot(state, { id: 'c', expiresAtUs: 190 }, 90)).toBe(false);
  // Left as they are: nobody counts them, unless the clock goes back.
  expect(state.holders).toEqual([
    { id: 'a', expiresAtUs: 10 },
    { id: 'c', expiresAtUs: 90 },
  ]);
});
