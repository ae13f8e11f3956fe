import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, base62OfBytes, isBase62, numberIn } from './base62.ts';

/**
 * What authenticates: `slk_<id>_<secret><checksum>`. The prefix lets scanners find a leaked one, the
 * checksum tells a typo from a stranger, the id is public and names the row. Its last part is an
 * HMAC, so that an id we never made costs no look-up. The secret has 256 bits: one fast hash hides it.
 */
export type Kind = 'key' | 'token';

const prefixes = { key: 'slk_', token: 'slt_' } as const satisfies Record<Kind, string>;
const randomLength = 12;
const markLength = 9;
const markBytes = 6;
const secretLength = 43;
const checksumLength = 6;
export const idLength = randomLength + markLength;
const idStart = prefixes.key.length;
const secretStart = idStart + idLength + 1;
const bodyLength = secretStart + secretLength;
const length = bodyLength + checksumLength;

export type Credential = { readonly id: string; readonly secret: string };

/** Shown once; only what `seal` makes of it is kept. */
export type Minted = Credential & { readonly text: string };

export function mint(kind: Kind, markSecret: string): Minted {
  const random = base62OfBytes(randomBytes(9), randomLength + 1).slice(1);
  const id = random + markOf(random, markSecret);
  const secret = base62OfBytes(randomBytes(32), secretLength);
  const body = `${prefixes[kind]}${id}_${secret}`;
  return { id, secret, text: body + checksumOf(body) };
}

/** Null for what is not of our making or mistyped. Says nothing about whether it is valid. */
export function parseCredential(kind: Kind, text: string): Credential | null {
  if (text.length !== length || !text.startsWith(prefixes[kind])) return null;
  if (text[secretStart - 1] !== '_') return null;
  if (!isBase62(text, idStart, secretStart - 1) || !isBase62(text, secretStart, bodyLength)) {
    return null;
  }
  if (crc32(text.slice(0, bodyLength)) !== numberIn(text.slice(bodyLength))) return null;
  return { id: text.slice(idStart, secretStart - 1), secret: text.slice(secretStart, bodyLength) };
}

/** Whether the id was made under this secret. */
export function isMarked(id: string, markSecret: string): boolean {
  return isSame(id.slice(randomLength), markOf(id.slice(0, randomLength), markSecret));
}

export type Sealed = { readonly salt: string; readonly hash: string };

export const saltLength = 22;
export const hashBytes = 32;

export function seal(secret: string): Sealed {
  const salt = randomBytes(16).toString('base64url');
  return { salt, hash: hash('sha256', salt + secret, 'hex') };
}

export function opens(secret: string, { salt, hash: sealed }: Sealed): boolean {
  return opensHash(secret, salt, Buffer.from(sealed, 'hex'), 0);
}

/** Of a hash that stands among other bytes. In constant time: all of it is looked at, whatever differs. */
export function opensHash(secret: string, salt: string, bytes: Uint8Array, from: number): boolean {
  if (from + hashBytes > bytes.length) return false;
  const digest = hash('sha256', salt + secret, 'binary');
  let difference = 0;
  for (let at = 0; at < hashBytes; at += 1) {
    difference |= digest.charCodeAt(at) ^ (bytes[from + at] as number);
  }
  return difference === 0;
}

/** In constant time; of texts whose length is no secret. */
export function isSame(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function markOf(random: string, markSecret: string): string {
  const digest = createHmac('sha256', markSecret).update(random).digest();
  return base62OfBytes(digest.subarray(0, markBytes), markLength);
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}
