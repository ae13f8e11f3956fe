import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockedBy } from './decision.ts';
import type { LimitInput } from './limit-input.ts';
import type { Limit } from './limit.ts';
import { levelOf } from './level.ts';
import { inWords, refusalMessage } from './message.ts';
import { parseLimit } from './parse-limit.ts';

function limitOf(input: Partial<LimitInput>): Limit {
  const whole = { algorithm: 'fixed_window', limit: 5, window: '1 min', ...input } as LimitInput;
  return parseLimit(whole, { definedBy: 'test', field: 'limit' }) as Limit;
}

const blockedBy: BlockedBy = {
  limit: 'fixed_window',
  per: ['subject'],
  level: 'user',
  entity: 'ann',
  reason: 'exceeded',
};

describe('the message of a refusal', () => {
  const limit = limitOf({});

  it('says what is allowed, for whom, and when to come back, but not who', () => {
    const text = refusalMessage({ blockedBy, retryAfterMs: 1500, limit });
    expect(text).toBe(
      'fixed_window allows 5 per 1 minute for this user; try again in 1.5 seconds.',
    );
    expect(text).not.toContain('ann');
  });

  it('names the unit where it is not requests', () => {
    const text = refusalMessage({
      blockedBy,
      retryAfterMs: 1500,
      limit: limitOf({ unit: 'tokens' }),
    });
    expect(text).toContain('allows 5 tokens per 1 minute');
  });

  it('asks for less when the call can never fit', () => {
    const impossible = { ...blockedBy, reason: 'impossible' } as const;
    const text = refusalMessage({ blockedBy: impossible, retryAfterMs: null, limit });
    expect(text).toContain('ask for less');
    expect(text).not.toContain('try again');
  });

  it('says that calls are blocked during a penalty', () => {
    const penalty = { ...blockedBy, reason: 'penalty' } as const;
    const text = refusalMessage({ blockedBy: penalty, retryAfterMs: 60_000, limit });
    expect(text).toContain('blocked for now: try again in 1 minute');
  });

  it('says that nothing could be checked when the store failed', () => {
    const unavailable = { ...blockedBy, reason: 'unavailable' } as const;
    const text = refusalMessage({ blockedBy: unavailable, retryAfterMs: 1000, limit: null });
    expect(text).toBe('The limit could not be checked; try again in a moment.');
  });
});

describe('a time in words', () => {
  it.each([
    [0.001, '1 ms'],
    [999, '999 ms'],
    [1000, '1 second'],
    [1001, '1.1 seconds'],
    [60_000, '1 minute'],
    [5_400_000, '1.5 hours'],
    [86_400_000, '1 day'],
    [30 * 86_400_000, '30 days'],
  ])('%f ms is %s', (ms, words) => {
    expect(inWords(ms)).toBe(words);
  });

  it('is never shorter than the time, and less than a tenth of its unit longer', () => {
    const unitsMs = { ms: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };
    const property = fc.property(fc.integer({ min: 1, max: 10 ** 9 }), (ms) => {
      const [count = '', unit = ''] = inWords(ms).split(' ');
      const unitMs = unitsMs[(unit === 'ms' ? unit : unit.replace(/s$/, '')) as 'second'];
      const told = Number(count) * unitMs;
      expect(told).toBeGreaterThanOrEqual(ms - 1e-6);
      expect(told - ms).toBeLessThan(unitMs / 10 + 1e-6);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

describe('the level of a limit', () => {
  it.each<[string, Partial<LimitInput>]>([
    ['tenant', { per: ['tenant'] }],
    ['endpoint', { per: ['tenant', 'resource'] }],
    ['user', { per: ['tenant', 'subject', 'resource'] }],
    ['attribute', { per: ['subject', 'attributes.ip'] }],
  ])('is %s for %o', (level, input) => {
    expect(levelOf(limitOf(input)).name).toBe(level);
  });

  it.each<[string, LimitInput['per']]>([
    ['organization', ['tenant']],
    ['team', ['tenant', 'attributes.team']],
    ['user', ['tenant', 'attributes.team', 'attributes.user']],
    ['user', ['tenant', 'subject']],
  ])('is %s for a quota per %o', (level, per) => {
    const quota = parseLimit(
      { algorithm: 'quota', limit: 5, period: 'month', ...(per && { per }) },
      { definedBy: 'test', field: 'limit' },
    ) as Limit;
    expect(levelOf(quota).name).toBe(level);
  });
});
