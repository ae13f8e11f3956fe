import { expect, it } from 'vitest';
import { Seal } from './seal.ts';

const text = '{"subject":"Zoë"}';

it('opens what it closed, which tells nothing and never looks the same', () => {
  const seal = new Seal('secret');
  const closed = seal.close(text);
  expect(seal.open(closed)).toBe(text);
  expect(Buffer.from(closed, 'base64').includes('subject')).toBe(false);
  expect(seal.close(text)).not.toBe(closed);
});

it('does not open what another closed, what was changed, or what is none', () => {
  const closed = new Seal('secret').close(text);
  expect(() => new Seal('other').open(closed)).toThrow(/authenticate/);
  const changed = Buffer.from(closed, 'base64');
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
  expect(() => new Seal('secret').open(changed.toString('base64'))).toThrow(/authenticate/);
  for (const none of ['', 'null', '{}']) {
    expect(() => new Seal('secret').open(none)).toThrow(/initialization vector|tag/i);
  }
});
