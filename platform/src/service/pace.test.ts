import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

/** Timers take whole milliseconds, and may be one early. */
const earlyMs = 2;

async function restedMs(rest: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await rest();
  return performance.now() - startMs + earlyMs;
}

it('rests long after work while others are to be answered', async () => {
  const pace = new Pace({ busyShare: () => 1 });
  expect(await restedMs(() => pace.rest(1))).toBeGreaterThanOrEqual(49);
});

it('rests less where nobody needs the time', async () => {
  const pace = new Pace({ busyShare: () => 0 });
  expect(await restedMs(() => pace.rest(10))).toBeGreaterThanOrEqual(90);
  expect(await pace.rest(1)).toBe(true);
});

it('takes who is busy in bursts for busy', async () => {
  const pace = new Pace({ busyShare: () => 0.3 });
  expect(await restedMs(() => pace.rest(1))).toBeGreaterThanOrEqual(49);
});

it('makes all who share it rest for each other', async () => {
  const pace = new Pace({ busyShare: () => 1 });
  const first = restedMs(() => pace.rest(1));
  const second = restedMs(() => pace.rest(1));
  expect(await first).toBeLessThan(await second);
  expect(await second).toBeGreaterThanOrEqual(98);
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

it('sees by itself whether the loop of events is busy', async () => {
  const pace = new Pace();
  const untilMs = performance.now() + 30;
  while (performance.now() < untilMs);
  expect(await restedMs(() => pace.rest(2))).toBeGreaterThanOrEqual(98);
});
