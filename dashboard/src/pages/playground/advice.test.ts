import type { CanonicalLimit } from 'sluice/contract';
import { describe, expect, it } from 'vitest';
import { adviceFor } from './advice.ts';
import type { Answer } from './burst/answer.ts';
import { defaultSettings } from './burst/settings.ts';

const bucket: CanonicalLimit = {
  name: 'b',
  algorithm: 'token_bucket',
  bucket_capacity: 10,
  refill_rate_per_sec: 2,
};
const window: CanonicalLimit = {
  name: 'w',
  algorithm: 'fixed_window',
  limit: 10,
  window_seconds: 10,
};
const slots: CanonicalLimit = {
  name: 's',
  algorithm: 'concurrency',
  max_concurrent: 3,
  stale_after_seconds: 10,
};

const answer = (allowed: boolean, retryAfterMs: number | null = 500, reason = 'exceeded') =>
  ({
    decision: {
      allowed,
      retry_after_ms: allowed ? 0 : retryAfterMs,
      blocked_by: allowed ? null : { reason },
    },
  }) as unknown as Answer;

describe('what a client should do', () => {
  it('with a bucket: its size at once, the rest at its rate', () => {
    expect(adviceFor(bucket, defaultSettings, [])).toEqual([
      'Up to 10 calls at once, then one every 500 ms: 20 calls are through in 5 s.',
    ]);
    expect(adviceFor(bucket, { ...defaultSettings, size: 4, cost: 2 }, [])).toEqual([
      'Up to 5 calls at once, then one every 1 s: 4 calls are through at once.',
    ]);
  });

  it('with windows and slots: no more than they hold', () => {
    expect(adviceFor(window, defaultSettings, [])[0]).toContain('20 calls take 2 windows');
    expect(adviceFor(slots, { ...defaultSettings, size: 6 }, [])[0]).toContain(
      '6 calls of 800 ms are through in 1.6 s',
    );
  });

  it('after refusals: to wait as the first said', () => {
    const answers = [answer(true), answer(false, 480), answer(false, 470)];
    expect(adviceFor(bucket, defaultSettings, answers)[1]).toBe(
      'After the first refusal, wait 480 ms, as it said; asking again meanwhile gained nothing that waiting would not have.',
    );
  });

  it('with what never fits: to ask for less', () => {
    const answers = [answer(false, null, 'impossible')];
    const [only, ...others] = adviceFor(window, { ...defaultSettings, cost: 12 }, answers);
    expect(only).toMatch(/never fits a limit of 10/);
    expect(others).toEqual([]);
  });

  it('where nothing was refused: to go on', () => {
    expect(adviceFor(bucket, defaultSettings, [answer(true)])[0]).toMatch(/^Nothing was refused/);
  });
});
