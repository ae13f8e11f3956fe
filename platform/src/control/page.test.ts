import { InvalidInput } from 'sluice';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from './page.ts';

describe('a cursor', () => {
  const cursor = writeCursor('tenants', 'some-id');

  it('leads back to where it was made', () => {
    expect(readCursor('tenants', cursor)).toBe('some-id');
  });

  it('of another list is refused', () => {
    expect(() => readCursor('plans', cursor)).toThrow(InvalidInput);
  });

  it('that was changed anywhere, cut or made up is refused', () => {
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const wrong = cursor.slice(0, at) + other + cursor.slice(at + 1);
      expect(() => readCursor('tenants', wrong)).toThrow(InvalidInput);
    }
    for (const wrong of ['', 'x', cursor.slice(0, -1), `${cursor}=`, ` ${cursor}`, '\u0000']) {
      expect(() => readCursor('tenants', wrong)).toThrow(InvalidInput);
    }
  });
});
