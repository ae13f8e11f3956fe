import { describe, expect, it } from 'vitest';
import { hitCountsOf } from './hit-counts.ts';

describe('statistics of hits', () => {
  it.each([
    [1, 10, 15, [1, 0, 0, 1]],
    [1, 12, 15, [1, 0, 1, 1]],
    [1, 15, 15, [1, 1, 0, 0]],
    [3, 2, 20, [3, 0, 0, 3]],
    [2, 5, 8, [2, 0, 1, 2]],
    [3, 16, 20, [3, 0, 3, 3]],
    [3, 19, 20, [3, 2, 1, 0]],
    [7, 15, 20, [7, 2, 4, 0]],
    [3, 27, 10, [3, 3, 0, 0]],
    [0, 11, 10, [0, 0, 0, 0]],
  ])('D %i on %i of %i', (hits, before, limit, expected) => {
    const isOver = before + hits > limit;
    const { total, over, near, within } = hitCountsOf({
      hits,
      before,
      limit,
      isOver,
      isShadow: false,
      isUnasked: false,
    });
    expect([total, over, near, within]).toEqual(expected);
  });

  it('what is over counts as such in shadow mode too', () => {
    const asked = { hits: 3, before: 9, limit: 10, isOver: true, isUnasked: false };
    const counts = hitCountsOf({ ...asked, isShadow: true });
    expect(counts).toMatchObject({ total: 3, over: 2, shadow: 2, within: 0, overUnasked: 0 });
  });

  it('where the store was not asked all hits are over, and counted once more', () => {
    const asked = { hits: 3, before: 9, limit: 10, isOver: true, isShadow: false };
    const counts = hitCountsOf({ ...asked, isUnasked: true });
    expect(counts).toMatchObject({ total: 3, over: 3, near: 0, overUnasked: 3 });
  });
});
