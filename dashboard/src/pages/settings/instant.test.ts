import { describe, expect, it } from 'vitest';
import { instantOf, localOf } from './instant.ts';

describe('a time in a field', () => {
  it('is the same moment there and back, to the minute', () => {
    expect(instantOf(localOf('2027-03-28T01:30:00.000Z'))).toBe('2027-03-28T01:30:00.000Z');
    expect(instantOf(localOf('2027-10-31T12:00:59.000Z'))).toBe('2027-10-31T12:00:00.000Z');
  });

  it('that is empty is none', () => {
    expect(localOf(null)).toBe('');
    expect(instantOf('')).toBeNull();
  });
});
