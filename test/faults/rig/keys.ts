import { crc32 } from 'node:zlib';
import { base62 } from '../../../platform/src/control/credentials/base62.ts';
import { mint } from '../../../platform/src/control/credentials/credential.ts';

/** The same id under another secret, as somebody would guess who knows ids. */
export function withOtherSecret(key: string): string {
  const other = mint('key', 'another').text.split('_')[2] ?? '';
  const [prefix, id] = key.split('_');
  const text = `${prefix}_${id}_${other.slice(0, 43)}`;
  return text + base62(BigInt(crc32(text)), 6);
}
