import { describe, expect, it } from 'vitest';
import { ClockWatch, type TimeReading } from './clock-watch.ts';

const epochMs = 1_700_000_000_000;

/** Asked at this moment, answered so much later; the server looked at its clock in between. */
function reading(
  askedMs: number,
  {
    tookMs = 2,
    readAfterMs = tookMs / 2,
    aheadMs = 0,
  }: { tookMs?: number; readAfterMs?: number; aheadMs?: number } = {},
): TimeReading {
  const storeMs = epochMs + askedMs + readAfterMs + aheadMs;
  return { askedMs, answeredMs: askedMs + tookMs, storeMs };
}

function stepsOf(readings: readonly TimeReading[]): number[] {
  const watch = new ClockWatch();
  return readings.map((one) => watch.read(one));
}

describe('a clock that is set', () => {
  it.each([60_000, 300, -300, -30_000])('by %d ms is told of once', (aheadMs) => {
    const [first, step, after] = stepsOf([
      reading(0),
      reading(500, { aheadMs }),
      reading(1000, { aheadMs }),
    ]);
    expect([first, after]).toEqual([0, 0]);
    expect(Math.abs((step ?? 0) - aheadMs)).toBeLessThanOrEqual(5);
  });

  it.each([200, -200])('by %d ms is not, nor are many such', (aheadMs) => {
    const readings = Array.from({ length: 10 }, (_, at) =>
      reading(at * 500, { aheadMs: at * aheadMs }),
    );
    expect(stepsOf(readings)).toEqual(readings.map(() => 0));
  });

  it('is told of by the next answer in time when a late one hides it', () => {
    const steps = stepsOf([
      reading(0),
      reading(500, { tookMs: 900, readAfterMs: 100, aheadMs: 400 }),
      reading(1500, { aheadMs: 400 }),
    ]);
    expect(steps.slice(0, 2)).toEqual([0, 0]);
    expect(Math.abs((steps[2] ?? 0) - 400)).toBeLessThanOrEqual(10);
  });

  it('while it could not be asked is told of afterwards', () => {
    const [, step] = stepsOf([reading(0), reading(60_000, { aheadMs: 5000 })]);
    expect(Math.abs((step ?? 0) - 5000)).toBeLessThanOrEqual(5);
  });
});

describe('a clock that is left alone', () => {
  it.each([
    ['the question was held up', 10_000, 9999],
    ['the answer was held up', 10_000, 1],
    ['both were', 20_000, 9000],
  ])('is not told of when %s', (_, tookMs, readAfterMs) => {
    expect(
      stepsOf([
        reading(0),
        reading(500, { tookMs, readAfterMs }),
        reading(30_000),
        reading(30_500, { tookMs, readAfterMs }),
        reading(60_000),
      ]),
    ).toEqual([0, 0, 0, 0, 0]);
  });

  it('is not told of when it drifts, also while nobody answers for an hour', () => {
    const hourMs = 3_600_000;
    const drift = 0.0005;
    const at = (ms: number) => reading(ms, { aheadMs: ms * drift });
    const steady = Array.from({ length: 100 }, (_, beat) => at(beat * 500));
    expect(stepsOf([...steady, at(hourMs), at(hourMs + 500)]).every((step) => step === 0)).toBe(
      true,
    );
  });
});
