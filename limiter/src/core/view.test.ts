import { expect, it } from 'vitest';
import type { BoundLimit, Reading } from './engine.ts';
import type { LimitInput } from './limit-input.ts';
import type { Limit } from './limit.ts';
import { parseLimit } from './parse-limit.ts';
import { amountOf, view } from './view.ts';

const nowUs = 1_700_000_000_000_000;
const state = { startUs: nowUs - 400_000, endUs: nowUs + 600_000, used: 3 };
const seen: Reading = { verdict: 'ok', state, held: 0, heldUntilUs: 0, blockedUntilUs: 0 };

function bound(cost: number): BoundLimit {
  const input: LimitInput = { algorithm: 'fixed_window', limit: 5, window: '1 s' };
  const limit = parseLimit(input, { definedBy: 'test', field: 'limit' }) as Limit;
  return { limit, parts: [], cost };
}

it('counts what is held as used', () => {
  expect(view(bound(1), { ...seen, held: 1, heldUntilUs: nowUs + 5 }, nowUs)).toMatchObject({
    used: 4,
    remaining: 1,
  });
  expect(view(bound(1), { ...seen, held: 9, heldUntilUs: nowUs + 5 }, nowUs).remaining).toBe(0);
});

it('has nothing to wait for when the verdict is ok, and no time when it never fits', () => {
  expect(view(bound(1), seen, nowUs).retryAfterUs).toBe(0);
  expect(view(bound(9), { ...seen, verdict: 'impossible' }, nowUs).retryAfterUs).toBeNull();
});

it('waits for the later of window and penalty', () => {
  const exceeded: Reading = { ...seen, verdict: 'exceeded' };
  expect(view(bound(3), exceeded, nowUs).retryAfterUs).toBe(600_000);
  const short: Reading = { ...exceeded, blockedUntilUs: nowUs + 1 };
  expect(view(bound(3), short, nowUs).retryAfterUs).toBe(600_000);
  const long: Reading = { ...seen, verdict: 'penalty', blockedUntilUs: nowUs + 700_000 };
  expect(view(bound(1), long, nowUs).retryAfterUs).toBe(700_000);
});

it('takes one slot for any cost, and none for none', () => {
  const slots = parseLimit(
    { algorithm: 'concurrency', maxConcurrent: 2, staleAfter: '1 s' },
    { definedBy: 'test', field: 'limit' },
  ) as Limit;
  expect([amountOf(slots, 0), amountOf(slots, 1), amountOf(slots, 99)]).toEqual([0, 1, 1]);
});
