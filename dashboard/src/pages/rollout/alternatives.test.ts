import { describe, expect, it } from 'vitest';
import { numbersToTry, refusedAt } from './alternatives.ts';

const alternatives = [
  { number: 3, refused_subjects: 2, share_of_subjects: 0.5 },
  { number: 8, refused_subjects: 1, share_of_subjects: 0.25 },
  { number: 20, refused_subjects: 0, share_of_subjects: 0 },
];

describe('another number for a limit', () => {
  it('refuses as many as the last one known before it', () => {
    expect(refusedAt(20, alternatives, 4)).toEqual({ refused: 0, share: 0 });
    expect(refusedAt(19, alternatives, 4)).toEqual({ refused: 1, share: 0.25 });
    expect(refusedAt(8, alternatives, 4)).toEqual({ refused: 1, share: 0.25 });
    expect(refusedAt(3, alternatives, 4)).toEqual({ refused: 2, share: 0.5 });
  });

  it('refuses everybody below the first of them', () => {
    expect(refusedAt(2, alternatives, 4)).toEqual({ refused: 4, share: 1 });
  });

  it('is one at which something changes, or the present one', () => {
    expect(numbersToTry(alternatives, 10)).toEqual([2, 3, 8, 10, 20]);
    expect(numbersToTry([], 10)).toEqual([]);
  });
});
