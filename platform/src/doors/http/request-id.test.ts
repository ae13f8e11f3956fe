import { describe, expect, it } from 'vitest';
import { createRequestIds } from './request-id.ts';

const idOf = createRequestIds();
const idFor = (given: string) => idOf({ headers: { 'x-request-id': given } });

describe('a request id', () => {
  it.each(['12345678', 'a1b2c3d4-e5f6-7890-abcd-ef0123456789', 'Root:1-67891233.abc_def'])(
    'is the one given: %s',
    (given) => expect(idFor(given)).toBe(given),
  );

  it.each([
    '',
    'short',
    'x'.repeat(65),
    '-startsodd',
    'with space',
    'line\nbreak1',
    'line\r\nSet-Cookie: a=b',
    'quote"quote',
    '<script>alert(1)</script>',
    'ünïcödé-id',
    '${jndi:ldap://x}',
  ])('is ours instead of %j', (given) => {
    expect(idFor(given)).toMatch(/^[A-Za-z0-9]{6}-[0-9a-z]{1,5}$/);
  });

  it('is never the same twice', () => {
    const ids = Array.from({ length: 1000 }, () => idOf({ headers: {} }));
    expect(new Set(ids).size).toBe(1000);
    expect(createRequestIds()({ headers: {} })).not.toBe(createRequestIds()({ headers: {} }));
  });
});
