import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseEnd, phaseOf } from './lifetime.ts';

const nowMs = Date.UTC(2030, 0, 1);
const at = (seconds: number) => new Date(nowMs + seconds * 1000);
const tenYears = 10 * 366 * 86_400;

describe('an end', () => {
  beforeEach(() => void vi.useFakeTimers({ now: nowMs, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('is an instant, or so long after the start', () => {
    expect(parseEnd({})).toBeUndefined();
    expect(parseEnd({ expires_at: null })).toBeNull();
    expect(parseEnd({ expires_at: at(1).toISOString() })).toEqual(at(1));
    expect(parseEnd({ ttl_seconds: 60 })).toEqual(at(60));
    expect(parseEnd({ ttl_seconds: 60 }, at(-30))).toEqual(at(60));
    expect(parseEnd({ ttl_seconds: 60 }, at(30))).toEqual(at(90));
    expect(parseEnd({ ttl_seconds: tenYears })).toEqual(at(tenYears));
  });

  it.each([
    ['now', { expires_at: at(0).toISOString() }, 'expires_at'],
    ['past', { expires_at: at(-1).toISOString() }, 'expires_at'],
    ['no date', { expires_at: '2030-02-31x' }, 'expires_at'],
    ['over ten years away', { expires_at: at(tenYears + 1).toISOString() }, 'expires_at'],
    ['said twice', { expires_at: at(9).toISOString(), ttl_seconds: 9 }, 'ttl_seconds'],
    ['said and unsaid', { expires_at: null, ttl_seconds: 9 }, 'ttl_seconds'],
  ])('is not %s', (_what, end, field) => {
    expect(() => parseEnd(end)).toThrow(expect.objectContaining({ field }));
  });

  it('is not over ten years away by starting late', () => {
    expect(() => parseEnd({ ttl_seconds: tenYears }, at(60))).toThrow(/^ttl_seconds: /);
  });
});

describe('what has an end', () => {
  it.each([
    [null, null, 'active'],
    [0, null, 'active'],
    [1, null, 'scheduled'],
    [null, 1, 'active'],
    [null, 0, 'expired'],
    [1, 2, 'scheduled'],
    [-2, -1, 'expired'],
  ])('from %s to %s is %s', (start, end, phase) => {
    const lifetime = {
      starts_at: start === null ? null : at(start),
      expires_at: end === null ? null : at(end),
    };
    expect(phaseOf(lifetime, nowMs)).toBe(phase);
  });
});
