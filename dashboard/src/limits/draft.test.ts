import { canonicalLimit } from 'sluice/contract';
import { describe, expect, it } from 'vitest';
import { algorithmNames } from './algorithms.ts';
import { newLimit, withAlgorithm, withField, withShare } from './draft.ts';
import { problemsInLimits } from './problems.ts';
import { limitInWords, perInWords, rateInWords } from './words.ts';

describe('a limit being written', () => {
  it('is right from the start, under a name that is free', () => {
    const first = newLimit([]);
    const second = newLimit([first]);
    expect(problemsInLimits([first, second])).toEqual([]);
    expect([first['name'], second['name']]).toEqual(['requests', 'requests-2']);
  });

  it('is right with every algorithm after every other, and keeps what both have', () => {
    for (const before of algorithmNames) {
      for (const after of algorithmNames) {
        const draft = withAlgorithm(withAlgorithm(newLimit([]), before), after);
        expect(problemsInLimits([draft])).toEqual([]);
      }
    }
    const wide = withField(newLimit([]), 'limit', 7);
    expect(withAlgorithm(wide, 'fixed_window')).toMatchObject({ limit: 7, per: ['tenant'] });
  });

  it('is a share of another, and itself again', () => {
    const base = newLimit([]);
    const share = withShare(newLimit([base]), { limit: 'requests', ratio: 0.1 });
    expect(share).not.toHaveProperty('limit');
    expect(problemsInLimits([base, share])).toEqual([]);
    expect(problemsInLimits([base, withAlgorithm(share, 'concurrency')])).toEqual([]);
    expect(problemsInLimits([base, withShare(share, undefined)])).toEqual([]);
  });

  it('is told of each that is wrong, by the path that the API uses', () => {
    const wrong = withField(newLimit([]), 'limit', 'many');
    const fields = problemsInLimits([wrong, newLimit([]), wrong]).map(({ field }) => field);
    expect(fields).toEqual(['limits[0].limit', 'limits[2].limit']);
    expect(problemsInLimits([newLimit([]), newLimit([])])).toEqual([
      { field: 'limits[1].name', problem: 'requests is taken; give each a name' },
    ]);
  });
});

describe('in words', () => {
  it.each([
    [
      { algorithm: 'token_bucket', bucket_capacity: 40, refill_rate_per_sec: 0.5 },
      'bursts of 40, then 30 a minute',
    ],
    [{ algorithm: 'fixed_window', limit: 1000, window_seconds: 3600 }, '1,000 in each hour'],
    [{ algorithm: 'sliding_window', limit: 5, window_seconds: 90 }, '5 in any 1 min 30 s'],
    [
      { algorithm: 'sliding_window_counter', limit: 5, window_seconds: 0.5, unit: 'tokens' },
      '5 tokens in about any 500 ms',
    ],
    [{ algorithm: 'concurrency', max_concurrent: 3, stale_after_seconds: 9 }, '3 at once'],
    [{ algorithm: 'quota', limit: 9, period: 'month' }, '9 a month'],
    [
      { algorithm: 'quota', period: 'day', share_of: { limit: 'all', ratio: 0.25 } },
      '25\u00A0% of all a day',
    ],
  ])('%j is %j', (limit, words) => {
    expect(limitInWords(canonicalLimit(limit, 'limit'))).toBe(words);
  });

  it('a limit is for somebody', () => {
    expect(perInWords({})).toBe('for each tenant, subject and resource');
    expect(perInWords({ per: ['attributes.ip', 'key'] })).toBe('for each API key and ip');
    expect(perInWords({ per: ['global'] })).toBe('for all tenants together');
    expect(rateInWords(0.000_01)).toBe('0.864 a day');
  });
});
