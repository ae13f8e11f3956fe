import { describe, expect, it } from 'vitest';
import { callsBeyond, envelopeExcess, type Admission } from './envelope.ts';

const bucket = { capacity: 10, refillPerSecond: 2 };
const at = (atMs: number, count: number): Admission[] =>
  Array.from({ length: count }, () => ({ atMs, cost: 1 }));

describe('the excess over an envelope', () => {
  it('is none for a full burst and what flows in after it', () => {
    const fair = [...at(0, 10), ...at(500, 1), ...at(1000, 1), ...at(4000, 6)];
    expect(envelopeExcess(fair, bucket)).toBe(0);
  });

  it('is what one call too many makes, wherever it is, in whatever order it is told', () => {
    const greedy = [...at(4000, 7), ...at(0, 10), ...at(1000, 2)];
    expect(envelopeExcess(greedy, bucket)).toBeCloseTo(1);
  });

  it('counts costs', () => {
    expect(envelopeExcess([{ atMs: 0, cost: 25 }], bucket)).toBe(15);
  });

  it('forgets nothing of a burst that a pause lay before', () => {
    expect(envelopeExcess([...at(0, 1), ...at(1e6, 11)], bucket)).toBeCloseTo(1);
  });

  it('is excused by as much as answers may have been late', () => {
    const early = [...at(0, 10), ...at(450, 1)];
    expect(callsBeyond(early, bucket, { latestMs: 0 })).toBe(1);
    expect(callsBeyond(early, bucket, { latestMs: 50 })).toBe(0);
  });
});
