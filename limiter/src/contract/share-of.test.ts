import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../core/errors.ts';
import { limitsFromWire } from './plan-from-wire.ts';
import { resolveShare } from './share-of.ts';

const requests = { name: 'requests', algorithm: 'fixed_window', limit: 60, window_seconds: 60 };
const share = (more: object = {}) => ({
  name: 'user',
  algorithm: 'fixed_window',
  window_seconds: 60,
  share_of: { limit: 'requests', ratio: 0.1 },
  ...more,
});

function problemOf(limits: readonly object[]): string {
  try {
    limitsFromWire(limits, 'limits');
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return 'none';
}

describe('a share of another limit', () => {
  it('is kept as it was written', () => {
    expect(limitsFromWire([requests, share()], 'limits')[1]).toEqual(share());
  });

  it.each([
    [
      'of nothing there',
      [share()],
      'limits[0].share_of.limit: names no other limit here; there is no other',
    ],
    [
      'of itself',
      [requests, share({ name: 'requests2', share_of: { limit: 'requests2', ratio: 1 } })],
      'limits[1].share_of.limit: names no other limit here; there are requests',
    ],
    [
      'of a share',
      [requests, share(), share({ name: 'b', share_of: { limit: 'user', ratio: 0.5 } })],
      'limits[2].share_of.limit: user is a share itself; name its own limit',
    ],
    [
      'beside a number',
      [requests, share({ limit: 5 })],
      'limits[1].share_of: stands for limit: give one of the two, not both',
    ],
    [
      'of more than all',
      [requests, share({ share_of: { limit: 'requests', ratio: 2 } })],
      'limits[1].share_of.ratio: must be at most 1, got 2',
    ],
    [
      'with more to say',
      [requests, share({ share_of: { limit: 'requests', ratio: 1, of: 1 } })],
      'limits[1].share_of.of: is not known here; known are limit, ratio',
    ],
    [
      'that needs a rate of its own',
      [
        requests,
        { name: 'b', algorithm: 'token_bucket', share_of: { limit: 'requests', ratio: 1 } },
      ],
      'limits[1].refill_rate_per_sec: is required, for requests is a fixed_window and has no rate to share',
    ],
  ])('is refused %s', (_, limits, problem) => {
    expect(problemOf(limits)).toBe(problem);
  });

  it.each([
    [60, 0.1, 6],
    [30, 0.1, 3],
    [9, 0.1, 1],
    [1_000_003, 0.333333, 333_333],
    [2 ** 50, 0.000001, 1_125_899_906],
  ])('of %d by %d is %d', (limit, ratio, expected) => {
    const wire = share({ share_of: { limit: 'requests', ratio } });
    expect(resolveShare(wire as never, { ...requests, limit } as never)).toMatchObject({
      limit: expected,
    });
  });
});
