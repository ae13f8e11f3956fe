import { describe, expect, it } from 'vitest';
import { hasKnownHoles, isTooOld, versionIn } from './server-versions.ts';

function redis(text: string) {
  const version = versionIn(new Map([['redis_version', text]]));
  if (!version) throw new Error(`no version in ${text}`);
  return version;
}

function valkey(text: string) {
  // It says for old clients that it is a Redis, too.
  const info = new Map([
    ['redis_version', '7.2.4'],
    ['valkey_version', text],
  ]);
  const version = versionIn(info);
  if (!version) throw new Error(`no version in ${text}`);
  return version;
}

describe('a version', () => {
  it('is read from what the server says of itself', () => {
    expect(redis('7.4.6')).toMatchObject({ product: 'Redis', numbers: [7, 4, 6] });
    expect(valkey('8.1.4')).toMatchObject({ product: 'Valkey', numbers: [8, 1, 4] });
    expect(versionIn(new Map())).toBeNull();
    expect(versionIn(new Map([['redis_version', 'unknown']]))).toBeNull();
  });

  it.each(['2.8.0', '5.0.14', '6.0.20', '6.2.20', '6.9.9'])('%s is too old', (text) => {
    expect(isTooOld(redis(text))).toBe(true);
  });

  it.each(['7.0.0', '7.2.11', '8.2.2', '10.0.0'])('%s is not', (text) => {
    expect(isTooOld(redis(text))).toBe(false);
  });

  it.each([
    redis('7.0.15'),
    redis('7.2.10'),
    redis('7.4.5'),
    redis('8.0.3'),
    redis('8.2.1'),
    valkey('7.2.10'),
    valkey('8.0.5'),
    valkey('8.1.3'),
  ])('$product $text has known holes', (version) => {
    expect(hasKnownHoles(version)).toBe(true);
  });

  it.each([
    redis('7.2.11'),
    redis('7.2.12'),
    redis('7.4.6'),
    redis('8.0.4'),
    redis('8.2.2'),
    redis('8.4.0'),
    redis('10.0.0'),
    valkey('7.2.11'),
    valkey('8.0.6'),
    valkey('8.1.4'),
    valkey('9.0.0'),
  ])('$product $text has none', (version) => {
    expect(hasKnownHoles(version)).toBe(false);
  });
});
