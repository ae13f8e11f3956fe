import { InvalidInput } from './errors.ts';
import { describe } from './numbers.ts';

/** Small parsers that all input goes through: unknown → type, or an error that names the field. */

/** Anything with fields of its own; before the fields are looked at. */
export function requireObject(field: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new InvalidInput(field, `must be an object, got ${describe(value)}`);
}

export function refuseUnknownFields(field: string, input: object, known: readonly string[]): void {
  for (const name in input) {
    if (known.includes(name) || !Object.hasOwn(input, name)) continue;
    const path = field === '' ? shortened(name) : `${field}.${shortened(name)}`;
    throw new InvalidInput(path, `is not known here; known are ${known.join(', ')}`);
  }
}

export function oneOf<T extends string>(field: string, value: unknown, known: readonly T[]): T {
  if (typeof value === 'string' && (known as readonly string[]).includes(value)) return value as T;
  const got =
    typeof value === 'string' && value.length <= 32 ? JSON.stringify(value) : describe(value);
  throw new InvalidInput(field, `must be one of ${known.join(', ')}, got ${got}`);
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Names travel in headers, metrics and Redis: a narrow alphabet keeps them harmless everywhere. */
export function parseName(field: string, value: unknown): string {
  if (typeof value === 'string' && namePattern.test(value)) return value;
  throw new InvalidInput(
    field,
    'must be 1 to 64 letters, digits, "-", "_" or ".", starting with a letter or digit',
  );
}

/** Text that identifies: never empty, bounded, and unambiguous as bytes. */
export function parseText(field: string, value: unknown, lengthMax: number): string {
  if (typeof value !== 'string') {
    throw new InvalidInput(field, `must be a string, got ${describe(value)}`);
  }
  if (value.length === 0) throw new InvalidInput(field, 'must not be empty');
  if (value.length > lengthMax) {
    throw new InvalidInput(
      field,
      `must be at most ${lengthMax} characters, got ${value.length}; hash longer identities`,
    );
  }
  // Half of a surrogate pair has no bytes of its own: two such texts would share a counter.
  if (!value.isWellFormed()) throw new InvalidInput(field, 'must be well-formed Unicode');
  return value;
}

function shortened(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}
