import { describe, expect, it } from 'vitest';
import { endingIn, expiryOf, keptEnding } from './lifetime.ts';

const nowMs = Date.parse('2026-11-16T12:00:00Z');

describe('when something ends', () => {
  it('is so long from now, never, or the moment that was typed', () => {
    expect(expiryOf(endingIn('week'), nowMs)).toBe('2026-11-23T12:00:00.000Z');
    expect(expiryOf(endingIn('never'), nowMs)).toBeNull();
    expect(expiryOf(keptEnding, nowMs)).toBeUndefined();
    const typed = { choice: 'at', at: '2027-01-01T00:00' };
    expect(expiryOf(typed, nowMs)).toBe(new Date('2027-01-01T00:00').toISOString());
  });

  it('is for the service to refuse where nothing was typed', () => {
    expect(expiryOf({ choice: 'at', at: '' }, nowMs)).toBe('');
  });
});
