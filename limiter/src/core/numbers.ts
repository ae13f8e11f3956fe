import { InvalidInput } from './errors.ts';

/** The largest integer a double, and so Lua and JavaScript alike, counts exactly. */
export const exactMax = Number.MAX_SAFE_INTEGER;

export type Range = { readonly min: number; readonly max: number };

/** A whole number within bounds, or an error that names the field. */
export function parseWhole(field: string, value: unknown, { min, max }: Range): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new InvalidInput(field, `must be a number, got ${describe(value)}`);
  }
  if (!Number.isInteger(value)) {
    throw new InvalidInput(field, `must be a whole number, got ${value}`);
  }
  if (value < min || value > max) {
    throw new InvalidInput(field, `must be between ${min} and ${max}, got ${value}`);
  }
  return value;
}

/** A rate as a reduced fraction: `tokens` every `perUs` microseconds, without rounding. */
export type Rate = { readonly tokens: number; readonly perUs: number };

const decimalPlacesMax = 6;

/**
 * Reads a rate per second from its decimal text, so that 0.1 means a tenth and not the nearest
 * double: rounding the interval instead would lose 29 % at 700,000 a second.
 */
export function parseRatePerSecond(field: string, value: unknown): Rate {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidInput(field, `must be a number above 0, got ${describe(value)}`);
  }
  const match = /^(\d+)(?:\.(\d+))?$/.exec(String(value));
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > decimalPlacesMax) {
    throw new InvalidInput(
      field,
      `must have at most ${decimalPlacesMax} decimal places, got ${value}; for slower rates give tokens and a duration`,
    );
  }
  const tokens = Number(`${match[1]}${fraction}`);
  return reduceRate(field, { tokens, perUs: 1e6 * 10 ** fraction.length });
}

/** Divides out what tokens and time have in common, so that common rates need no fraction. */
export function reduceRate(field: string, { tokens, perUs }: Rate): Rate {
  if (tokens > exactMax) throw new InvalidInput(field, 'is too large to count exactly');
  const divisor = greatestCommonDivisor(tokens, perUs);
  return { tokens: tokens / divisor, perUs: perUs / divisor };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** How a bad value is named in an error: its kind, never the whole of something large. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
