import { InvalidInput } from 'sluice';
import { describe, expect, it } from 'vitest';
import { expectedVersionOf } from './version.ts';

const read = (ifMatch: string | undefined, ...named: (number | undefined)[]) =>
  expectedVersionOf({ ifMatch, named });

describe('the version that a change expects', () => {
  it('is any unless it is given', () => {
    expect(read(undefined, undefined)).toBeNull();
    expect(read('*')).toBeNull();
  });

  it('stands in the body, the address or If-Match', () => {
    expect(read(undefined, 3)).toBe(3);
    expect(read(undefined, undefined, 3)).toBe(3);
    expect(read('"3"')).toBe(3);
    expect(read(' 3 ')).toBe(3);
    expect(read('"3"', 3, 3)).toBe(3);
  });

  it('is refused when it is given twice and not the same', () => {
    expect(() => read('"3"', 4)).toThrow(InvalidInput);
    expect(() => read(undefined, 3, 4)).toThrow(InvalidInput);
  });

  it.each(['', 'x', '"x"', '"0"', '"-1"', '"1", "2"', 'W/"1"', '"1.5"', '"99999999999"'])(
    'is not %j',
    (tag) => expect(() => read(tag)).toThrow(InvalidInput),
  );
});
