import { describe, expect, it } from 'vitest';
import { fromOf, rangeOf, ranges, stepOf } from './ranges.ts';

const nowMs = Date.parse('2026-11-16T10:41:05Z');
const stepsMax = 1500;

describe('ranges of usage', () => {
  it('end with the step that is running, and begin so many steps before', () => {
    expect(fromOf(rangeOf('hour'), 'minute', nowMs)).toBe('2026-11-16T09:42:00.000Z');
    expect(fromOf(rangeOf('day'), 'hour', nowMs)).toBe('2026-11-15T11:00:00.000Z');
    expect(fromOf(rangeOf('month'), 'day', nowMs)).toBe('2026-10-18T00:00:00.000Z');
  });

  it('are told by steps that the service answers', () => {
    for (const range of ranges) {
      for (const step of range.steps) {
        const spanMs = nowMs - Date.parse(fromOf(range, step, nowMs));
        const steps = spanMs / { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[step];
        expect(steps).toBeLessThanOrEqual(stepsMax);
      }
    }
    expect(stepOf(rangeOf('year'), 'minute')).toBe('day');
    expect(stepOf(rangeOf('day'), 'hour')).toBe('hour');
  });
});
