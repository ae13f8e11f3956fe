import { createLimiter, type LimitInput } from 'sluice';
import { Decision, StoreFailure, whenStoreFails } from 'sluice/core';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../observe/index.ts';
import { eventOf, storeFailed } from '../../observe/test-events.ts';
import { type Receipt, receiptOf } from './receipt.ts';

const startMs = Date.UTC(2026, 10, 16, 12);
const hash = () => 'a-hash';

type Calls = { readonly cost?: number; readonly calls?: number; readonly more?: object };

/** The receipt of the last of so many calls, a quarter of a second apart. */
function receiptAfter(limits: readonly LimitInput[], { cost = 1, calls = 1, more }: Calls = {}) {
  let nowMs = startMs - 250;
  const limiter = createLimiter({ limits, clock: () => nowMs * 1000 });
  const check = { resource: 'POST:/search', subject: 'user:42', tenant: 'acme', cost, ...more };
  let decision: Decision | undefined;
  for (let call = 0; call < calls; call += 1) {
    nowMs += 250;
    decision = limiter.checkSync(check);
  }
  return receiptWith(decision as Decision, nowMs);
}

function receiptWith(decision: Decision, atMs = startMs, repeats = 0): Receipt {
  const event = eventOf(decision, { subject: 'user:42', resource: 'POST:/search' });
  const outcome = outcomeOf(decision);
  return receiptOf({ event, outcome, atMs, size: 0, repeats, lastAtMs: atMs }, hash);
}

const window: LimitInput = {
  algorithm: 'fixed_window',
  name: 'search-per-minute',
  limit: 2,
  window: '1 min',
  per: ['tenant'],
};

describe('a receipt', () => {
  it('says what happened by which numbers, and how long to wait', () => {
    const receipt = receiptAfter([window], { calls: 3 });
    expect(receipt).toMatchObject({
      at: '2026-11-16T12:00:00.500Z',
      what_happened:
        '2026-11-16 12:00:00.500 UTC: POST:/search of user:42 was refused. ' +
        'search-per-minute allows 2 per 1 minute for acme; 2 were used when the call asked for 1 more.',
      what_to_do:
        'Wait 59.5 seconds, then try again: at 2026-11-16 12:01:00.000 UTC the same call fits if nobody else calls.',
      tenant: { name: 'acme' },
      subject: 'user:42',
      subject_hash: 'a-hash',
      outcome: 'blocked',
      clears_at: '2026-11-16T12:01:00.000Z',
      epoch: { tenant: 3, shared: 1 },
      limits: [
        {
          name: 'search-per-minute',
          used: 2,
          remaining: 0,
          per: ['tenant'],
          numbers: { limit: 2, window_seconds: 60 },
          enforce_from: null,
        },
      ],
    });
    expect(receipt.message).toContain('try again in 59.5 seconds');
  });

  it('waits for every limit that refused, not only for the one that is shown', () => {
    const penal: LimitInput = { ...window, name: 'p', limit: 1, window: '1 s', blockFor: '2 s' };
    const receipt = receiptAfter([penal, { ...window, name: 'q', limit: 1 }], { calls: 3 });
    expect(receipt.blocked_by).toMatchObject({ limit: 'p', reason: 'penalty' });
    expect(receipt.clears_at).toBe('2026-11-16T12:01:00.000Z');
    expect(receipt.what_happened).toContain(
      'after earlier refusals its calls are blocked for a while. Refused by q as well.',
    );
  });

  it('says that a call can never fit', () => {
    const receipt = receiptAfter([{ ...window, algorithm: 'sliding_window_log' }], { cost: 3 });
    expect(receipt.clears_at).toBeNull();
    expect(receipt.what_happened).toMatch(/the call asked for 3 at once, more than that\.$/);
    expect(receipt.what_to_do).toBe(
      'Ask for at most 2 at once: this call can never fit, however long you wait.',
    );
  });

  it('does not guess when a slot comes free', () => {
    const slots: LimitInput = { algorithm: 'concurrency', maxConcurrent: 1, staleAfter: '1 min' };
    const receipt = receiptAfter([slots], { calls: 2 });
    expect(receipt).toMatchObject({
      clears_at: null,
      what_to_do: 'Let an open call end, then try again.',
      limits: [{ numbers: { max_concurrent: 1, stale_after_seconds: 60 } }],
    });
  });

  it('says from when on a warning will be a refusal', () => {
    const soft: LimitInput = { ...window, mode: 'warn' };
    const receipt = receiptAfter([soft], { calls: 3 });
    expect(receipt).toMatchObject({
      outcome: 'warned',
      allowed: true,
      would_block: ['search-per-minute'],
      clears_at: '2026-11-16T12:01:00.000Z',
      what_to_do:
        'Nothing now: it was let in. Once it is enforced, search-per-minute will refuse this: wait 59.5 seconds before such a call.',
    });
    expect(receipt.what_happened).toContain(
      'was let in. In warn, search-per-minute would have refused it: search-per-minute allows 2',
    );
  });

  it('has a bucket’s rate and a quota’s period', () => {
    const { limits } = receiptAfter([
      { algorithm: 'token_bucket', capacity: 10, refillPerSecond: 0.5 },
      { algorithm: 'quota', limit: 7, period: 'month' },
    ]);
    expect(limits.map(({ numbers }) => numbers)).toEqual([
      { bucket_capacity: 10, refill_rate_per_sec: 0.5 },
      { limit: 7, period: 'month' },
    ]);
  });

  it('of a store that failed says so, and has no numbers', () => {
    const open = receiptWith(storeFailed('open'));
    expect(open).toMatchObject({ outcome: 'degraded', basis: 'fail_open', limits: [] });
    expect(open.what_happened).toContain(
      'was let in. Its limits could not be checked (timeout), and let calls through then.',
    );
    const closed = receiptWith(storeFailed('closed'));
    expect(closed).toMatchObject({ outcome: 'blocked', basis: 'fail_closed', clears_at: null });
    expect(closed.what_happened).toContain('all could not be checked (timeout), and refuses then.');
    expect(closed.what_to_do).toBe('Try again in a moment.');
  });

  it('of who is shut out says until when, if anybody knows', () => {
    const base = Decision.factsOf(receiptDecision());
    const shut = (untilUs: number | null) =>
      receiptWith(
        new Decision({
          ...base,
          answer: { ...base.answer, allowed: false, readings: [] },
          shutOut: { level: 'user', entity: 'user:42', untilUs },
        }),
      );
    expect(shut(null)).toMatchObject({
      clears_at: null,
      what_to_do: 'Ask whoever runs the service to lift the block: waiting does not.',
    });
    expect(shut((startMs + 90_000) * 1000)).toMatchObject({
      clears_at: '2026-11-16T12:01:30.000Z',
      what_to_do:
        'Wait 1.5 minutes, then try again: at 2026-11-16 12:01:30.000 UTC the block is over.',
    });
  });

  it('keeps nothing of the attributes, and cuts what is long in its words', () => {
    const receipt = receiptAfter([window], {
      more: { attributes: { email: 'ann@example.org' }, subject: 'x' },
    });
    expect(JSON.stringify(receipt)).not.toContain('ann@example.org');
    const long = eventOf(receiptDecision(), {
      subject: 's'.repeat(1024),
      resource: 'r'.repeat(2048),
    });
    const kept = { event: long, outcome: 'allowed', atMs: startMs, size: 0, repeats: 3 } as const;
    const { what_happened: words, subject } = receiptOf({ ...kept, lastAtMs: startMs }, hash);
    expect(words.length).toBeLessThan(500);
    expect(subject).toHaveLength(1024);
    expect(words).toMatch(/The same happened 3 times more in that second\.$/);
  });

  it('of a call without limits says that there is none', () => {
    expect(receiptAfter([])).toMatchObject({
      outcome: 'allowed',
      what_to_do: 'Nothing: it was let in.',
      limits: [],
    });
    const [check, limits] = [Decision.factsOf(receiptDecision()).check, [] as const];
    const failed = whenStoreFails(new StoreFailure('busy'), check, {
      id: 'x',
      limits,
    });
    expect(receiptWith(failed).what_happened).toContain('(busy)');
  });
});

function receiptDecision(): Decision {
  const limiter = createLimiter({ limits: [window], clock: () => startMs * 1000 });
  return limiter.checkSync({ resource: 'POST:/search', subject: 'user:42', tenant: 'acme' });
}
