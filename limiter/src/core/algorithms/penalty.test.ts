import { expect, it } from 'vitest';
import { blockedUntilUs, forgetAtUs, strike } from './penalty.ts';

const numbers = { blockUs: 100, growthThousandths: 1500, blockMaxUs: 300 };

it('grows by its factor with each repetition, up to its longest', () => {
  let state = strike(numbers, undefined, 0);
  const lengths = [state.lengthUs];
  for (let round = 0; round < 4; round += 1) {
    state = strike(numbers, state, state.untilUs);
    lengths.push(state.lengthUs);
  }
  expect(lengths).toEqual([100, 150, 225, 300, 300]);
});

it('begins anew when it was forgotten', () => {
  const state = strike(numbers, strike(numbers, undefined, 0), 100);
  expect(forgetAtUs(state)).toBe(400);
  expect(strike(numbers, state, 399).lengthUs).toBe(225);
  expect(strike(numbers, state, 400).lengthUs).toBe(100);
});

it('ends at its last microsecond', () => {
  const state = strike(numbers, undefined, 0);
  expect(blockedUntilUs(state, 99)).toBe(100);
  expect(blockedUntilUs(state, 100)).toBe(0);
  expect(blockedUntilUs(undefined, 0)).toBe(0);
});

it('follows changed numbers: never shorter than the new base, never longer than the new most', () => {
  const state = { untilUs: 100, lengthUs: 100 };
  expect(strike({ ...numbers, blockUs: 250 }, state, 100).lengthUs).toBe(250);
  expect(strike({ ...numbers, blockUs: 50, blockMaxUs: 60 }, state, 100).lengthUs).toBe(60);
});
