import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Duration } from './duration.ts';
import { parseDurationUs } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['250 us', 250],
    ['10 ms', 10_000],
    ['1 s', 1_000_000],
    ['1 sec', 1_000_000],
    ['1 second', 1_000_000],
    ['10 seconds', 10_000_000],
    ['1 m', 60_000_000],
    ['15min', 900_000_000],
    ['1 minute', 60_000_000],
    ['2 minutes', 120_000_000],
    ['1h', 3_600_000_000],
    ['1 hour', 3_600_000_000],
    ['2 hours', 7_200_000_000],
    ['1d', 86_400_000_000],
    ['1 day', 86_400_000_000],
    ['30 days', 2_592_000_000_000],
    ['1w', 604_800_000_000],
    ['1 week', 604_800_000_000],
    ['2 weeks', 1_209_600_000_000],
  ])('%s is %i microseconds', (text, us) => {
    expect(parseDurationUs(text, 'window')).toBe(us);
  });

  it.each([
    ['0.1 s', 100_000],
    ['1.5 s', 1_500_000],
    ['0.000001 s', 1],
    ['1.10 ms', 1_100],
    ['1.0000000 us', 1],
    ['0.001001 s', 1_001],
    ['0.5w', 302_400_000_000],
  ])('keeps the decimals of %s exactly', (text, us) => {
    expect(parseDurationUs(text, 'window')).toBe(us);
  });

  it.each([
    [1, 1_000],
    [0.001, 1],
    [1.001, 1_001],
    [60_000, 60_000_000],
  ])('as the number %d is milliseconds', (ms, us) => {
    expect(parseDurationUs(ms, 'window')).toBe(us);
  });

  it('reaches the largest exact integer and no further', () => {
    expect(parseDurationUs(`${Number.MAX_SAFE_INTEGER} us`, 'window')).toBe(2 ** 53 - 1);
    expect(() => parseDurationUs('9007199254740992 us', 'window')).toThrow(/too long/);
  });

  it('written with decimals equals the same duration in microseconds', () => {
    const microseconds = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(microseconds, (us) => {
        expect(parseDurationUs(inSeconds(us), 'window')).toBe(us);
      }),
    );
  });

  it('has a type that knows its units', () => {
    expectTypeOf<'1.5 s'>().toExtend<Duration>();
    expectTypeOf<'10minutes'>().toExtend<Duration>();
    expectTypeOf<250>().toExtend<Duration>();
    expectTypeOf<'1 month'>().not.toExtend<Duration>();
    expectTypeOf<'10'>().not.toExtend<Duration>();
  });
});

describe('a refused duration', () => {
  it.each([
    ['', /^window: empty; write a number and a unit/],
    ['  ', /^window: empty/],
    ['10', /^window: "10" has no unit; write "10 s", or the number 10 for milliseconds/],
    ['s', /^window: "s" is not a duration; write a number and a unit/],
    ['1 month', /^window: "month" .*use a quota for calendar months/],
    ['2 months', /use a quota/],
    ['1y', /use a quota/],
    ['1 fortnight', /^window: "fortnight" is not a unit; write one of: us, ms, s/],
    ['1 toString', /"toString" is not a unit/],
    ['1 µs', /"µs" is not a unit; write one of: us/],
    ['1 S', /"S" is not a unit/],
    ['0 s', /^window: "0 s" is not longer than zero/],
    ['0.000 s', /not longer than zero/],
    ['-1 s', /^window: "-1 s" is not longer than zero/],
    ['0.0000001 s', /^window: "0.0000001 s" is not a whole number of microseconds/],
    ['0.5 us', /not a whole number of microseconds/],
    ['15000 weeks', /^window: "15000 weeks" is too long/],
    ['1e3 s', /"1e3 s" is not a duration/],
    ['1,5 s', /not a duration/],
    ['.5 s', /not a duration/],
    ['1 s 500 ms', /not a duration/],
    ['NaN s', /not a duration/],
    ['Infinity s', /not a duration/],
    [`${'9'.repeat(100_000)} s`, /^window: too much text/],
  ])('%j says what to write instead', (text, message) => {
    expect(() => parseDurationUs(text, 'window')).toThrow(message);
  });

  it.each([
    [0, /^window: 0 is not longer than zero/],
    [-5, /^window: -5 is not longer than zero/],
    [Number.NaN, /^window: NaN is not a duration/],
    [Number.POSITIVE_INFINITY, /^window: Infinity is not a duration/],
    [0.0001, /^window: "0.0001 ms" is not a whole number of microseconds/],
    [1e-9, /not a whole number of microseconds/],
    [Number.MAX_SAFE_INTEGER, /too long/],
    [1e300, /too long/],
  ])('the number %d says what is wrong', (value, message) => {
    expect(() => parseDurationUs(value, 'window')).toThrow(message);
  });

  it('names its field, also for values that are no text and no number', () => {
    const naming = expect.objectContaining({ name: 'InvalidInput', field: 'limits.api.window' });
    expect(() => parseDurationUs(JSON.parse('null'), 'limits.api.window')).toThrow(naming);
  });
});

function inSeconds(us: number): string {
  const digits = String(us).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)} s`;
}
