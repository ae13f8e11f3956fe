import { describe, expect, it } from 'vitest';
import { asItIs, chosen, instantOf } from './lifetime.ts';

const nowMs = Date.parse('2026-11-16T12:00:00Z');

describe('when something starts or ends', () => {
  it('is so long from now, at once or never, or the moment that was typed', () => {
    expect(instantOf(chosen('week'), nowMs)).toBe('2026-11-23T12:00:00.000Z');
    expect(instantOf(chosen('never'), nowMs)).toBeNull();
    expect(instantOf(chosen('now'), nowMs)).toBeNull();
    expect(instantOf(asItIs, nowMs)).toBeUndefined();
    const typed = { choice: 'at', at: '2027-01-01T00:00' };
    expect(instantOf(typed, nowMs)).toBe(new Date('2027-01-01T00:00').toISOString());
  });

  it('is for the service to refuse where nothing was typed', () => {
    expect(instantOf({ choice: 'at', at: '' }, nowMs)).toBe('');
  });
});
