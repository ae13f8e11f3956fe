import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from './errors.ts';
import { parseRatePerSecond, parseWhole, reduceRate } from './numbers.ts';

describe('whole numbers', () => {
  const range = { min: 0, max: 10 };

  it('are taken at both bounds, and zero is a number', () => {
    expect(parseWhole('f', 0, range)).toBe(0);
    expect(parseWhole('f', 10, range)).toBe(10);
  });

  it.each([-1, 11, 1.5, NaN, Infinity, '5', null, undefined, [], {}, true, 5n])(
    'are not %s, and the error names the field',
    (value) => {
      expect(() => parseWhole('some.field', value, range)).toThrow(InvalidInput);
      expect(() => parseWhole('some.field', value, range)).toThrow(/^some\.field: /);
    },
  );
});

describe('rates', () => {
  it.each([
    [1, 1, 1_000_000],
    [0.1, 1, 10_000_000],
    [0.7, 7, 10_000_000],
    [700_000, 7, 10],
    [1_000_000, 1, 1],
    [0.000001, 1, 1_000_000_000_000],
    [1.5, 3, 2_000_000],
  ])('%f a second is %i every %i µs, exactly', (rate, tokens, perUs) => {
    expect(parseRatePerSecond('f', rate)).toEqual({ tokens, perUs });
  });

  it('are the fraction that their decimal text says, reduced', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.integer({ min: 0, max: 6 }),
      (digits, places) => {
        const rate = Number(`${digits}e-${places}`);
        const { tokens, perUs } = parseRatePerSecond('f', rate);
        const exact = BigInt(tokens) * 1_000_000n * 10n ** BigInt(places);
        expect(exact).toBe(BigInt(digits) * BigInt(perUs));
      },
    );
    fc.assert(property);
  });

  it.each([0, -1, NaN, Infinity, 1e-7, 0.1234567, 1e21, '1', null])('are not %s', (value) => {
    expect(() => parseRatePerSecond('f', value)).toThrow(InvalidInput);
  });

  it('too large to count exactly are refused', () => {
    expect(() => reduceRate('f', { tokens: 2 ** 53, perUs: 1 })).toThrow(/too large/);
  });
});
