import { createHash } from 'node:crypto';
import { InvalidInput } from '../../core/errors.ts';
import { describe } from '../../core/numbers.ts';

const lengthMax = 512;

/** Whom a key counts. Too long, or no text at all to some: by its hash, which tells it apart as well. */
export function keyText(field: string, key: unknown): string {
  if (typeof key !== 'string' && typeof key !== 'number') {
    throw new InvalidInput(field, `must give a text or a number, got ${describe(key)}`);
  }
  const text = String(key);
  if (text === '') throw new InvalidInput(field, 'is empty: all whose key is would count as one');
  if (text.length <= lengthMax && text.isWellFormed()) return text;
  return `sha256-${createHash('sha256').update(JSON.stringify(text)).digest('base64url')}`;
}
