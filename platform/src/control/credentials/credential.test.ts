import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { base62 } from './base62.ts';
import { isMarked, mint, opens, parseCredential, seal } from './credential.ts';

describe('a credential', () => {
  it('carries its id and secret, and reads back', () => {
    for (let round = 0; round < 200; round += 1) {
      const { text, id, secret } = mint('key', 'mark');
      expect(text).toMatch(/^slk_[0-9A-Za-z]{21}_[0-9A-Za-z]{49}$/);
      expect(parseCredential('key', text)).toEqual({ id, secret });
    }
  });

  it('of one kind is not one of the other', () => {
    expect(parseCredential('token', mint('key', 'mark').text)).toBeNull();
    expect(parseCredential('key', mint('token', 'mark').text)).toBeNull();
  });

  it('with any character changed is not one', () => {
    const { text } = mint('key', 'mark');
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'a' ? 'b' : 'a';
      const wrong = text.slice(0, at) + other + text.slice(at + 1);
      expect(parseCredential('key', wrong)).toBeNull();
    }
  });

  it.each(['-', '_', ' ', '\n', '\0', '@', '[', '`', '{', 'é', '€'])(
    'with %j anywhere is not one, whatever its checksum',
    (stranger) => {
      const body = mint('key', 'mark').text.slice(0, -6);
      for (let at = 4; at < body.length; at += 1) {
        if (body[at] === stranger) continue;
        const wrong = body.slice(0, at) + stranger + body.slice(at + 1);
        const checksum = base62(BigInt(crc32(wrong)), 6);
        expect(parseCredential('key', wrong + checksum)).toBeNull();
      }
    },
  );

  it.each(['', 'slk_', 'x'.repeat(75), `${mint('key', 'm').text} `, ` ${mint('key', 'm').text}`])(
    'is not %j',
    (text) => expect(parseCredential('key', text)).toBeNull(),
  );

  it('is known by its mark, which only the secret makes', () => {
    const { id } = mint('key', 'mark');
    expect(isMarked(id, 'mark')).toBe(true);
    expect(isMarked(id, 'other')).toBe(false);
    expect(isMarked('0'.repeat(21), 'mark')).toBe(false);
  });

  it('opens what was sealed with its secret, and nothing else', () => {
    const { secret } = mint('key', 'mark');
    const sealed = seal(secret);
    expect(opens(secret, sealed)).toBe(true);
    expect(opens(mint('key', 'mark').secret, sealed)).toBe(false);
    expect(JSON.stringify(sealed)).not.toContain(secret);
    expect(seal(secret).hash).not.toBe(sealed.hash);
  });
});
