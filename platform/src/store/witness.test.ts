import { describe, expect, it } from 'vitest';
import { Witness } from './witness.ts';

const keptMs = 10_000;

/** Each a stamp that was confirmed, and the one that the server had before. */
function lossesOf(confirmed: readonly (readonly [stampMs: number, beforeMs: number | null])[]) {
  const witness = new Witness(keptMs);
  return confirmed.map(([stampMs, beforeMs]) => witness.confirmed(stampMs, beforeMs));
}

describe('nothing is lost', () => {
  it('when each stamp follows the last', () => {
    expect(
      lossesOf([
        [100, null],
        [600, 100],
        [1100, 600],
      ]),
    ).toEqual([null, null, null]);
  });

  it('when a stamp arrived whose confirmation did not', () => {
    expect(
      lossesOf([
        [100, null],
        [1100, 600],
      ]),
    ).toEqual([null, null]);
  });

  it('when the first finds what somebody left', () => {
    expect(lossesOf([[100, 90]])).toEqual([null]);
  });

  it('that could be told of once the last stamp had run out', () => {
    expect(
      lossesOf([
        [100, null],
        [100 + keptMs, null],
        [10_600, 100 + keptMs],
      ]),
    ).toEqual([null, null, null]);
  });
});

describe('something is lost', () => {
  it('when the server has an earlier stamp, and it is told of once', () => {
    expect(
      lossesOf([
        [100, null],
        [600, 100],
        [1100, 600],
        [1600, 100],
        [2100, 1600],
      ]),
    ).toEqual([null, null, null, { lostMs: 1000, isAllGone: false }, null]);
  });

  it('when the server has none: at least what was written since the first', () => {
    expect(
      lossesOf([
        [100, null],
        [600, 100],
        [1100, null],
        [1600, 1100],
        [2100, null],
      ]),
    ).toEqual([
      null,
      null,
      { lostMs: 500, isAllGone: true },
      null,
      { lostMs: 500, isAllGone: true },
    ]);
  });
});
