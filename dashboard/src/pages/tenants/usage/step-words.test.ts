import { describe, expect, it } from 'vitest';
import { secondOf, stepInWords } from './step-words.ts';

describe('steps of usage', () => {
  it('are days of UTC, whatever the clock on the wall says', () => {
    const second = secondOf('2026-11-16T00:00:00.000Z', 'day');
    expect(stepInWords(second, 'day')).toBe('16 Nov 2026');
    expect(new Date(second * 1000).getHours()).toBe(0);
  });

  it('are moments of here where they are shorter', () => {
    expect(secondOf('2026-11-16T10:41:00.000Z', 'minute')).toBe(
      Date.parse('2026-11-16T10:41:00Z') / 1000,
    );
  });
});
