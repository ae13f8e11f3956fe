import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('rests after work, and goes on', async () => {
  const pace = new Pace();
  const startMs = performance.now();
  expect(await pace.rest(1)).toBe(true);
  // Timers may be a millisecond early.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(17);
});

it('is woken by who waits for the end, and rests no more', async () => {
  const pace = new Pace();
  const resting = pace.rest(3_600_000);
  expect(pace.isOver).toBe(false);
  pace.hurry(60_000);
  expect(await resting).toBe(false);
  expect(await pace.rest(3_600_000)).toBe(false);
  expect(pace.isOver).toBe(false);
  pace.hurry(0);
  expect(pace.isOver).toBe(true);
});
