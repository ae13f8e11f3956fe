import { InvalidInput } from '../core/errors.ts';
import { describe } from '../core/numbers.ts';
import { parseName, parseText, requireObject } from '../core/parse.ts';

/** Ten years, as everywhere. */
export const secondsMax = 10 * 366 * 86_400;
const placesMax = 6;
const patternsMax = 64;
const patternLengthMax = 2048;

/** The path of a field of what is at a path; at the root nothing stands before it. */
export function pathOf(field: string, name: string): string {
  const short = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  return field === '' ? short : `${field}.${short}`;
}

/** A number above 0 that its decimal text says exactly. */
export function parseDecimal(path: string, value: unknown, max: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidInput(path, `must be a number above 0, got ${describe(value)}`);
  }
  if (value > max) throw new InvalidInput(path, `must be at most ${max}, got ${value}`);
  const text = String(value);
  const [, fraction = ''] = text.split('.');
  if (text.includes('e') || fraction.length > placesMax) {
    throw new InvalidInput(path, `must have at most ${placesMax} decimal places, got ${value}`);
  }
  return value;
}

export function parsePatterns(path: string, value: unknown): void {
  if (!Array.isArray(value) || value.length === 0 || value.length > patternsMax) {
    throw new InvalidInput(path, `must be a list of 1 to ${patternsMax} patterns`);
  }
  value.forEach((pattern: unknown, at) => parseText(`${path}[${at}]`, pattern, patternLengthMax));
}

const conditionsMax = 8;
const valuesMax = 64;
const valueLengthMax = 1024;

/** Attributes by name, each with the values that are meant. */
export function parseWhen(path: string, value: unknown): void {
  requireObject(path, value);
  const entries = Object.entries(value as object);
  if (entries.length === 0 || entries.length > conditionsMax) {
    throw new InvalidInput(path, `must name 1 to ${conditionsMax} attributes`);
  }
  for (const [name, values] of entries) {
    if (!name.startsWith('attributes.')) {
      throw new InvalidInput(pathOf(path, name), 'must be written as attributes.<name>');
    }
    parseName(pathOf(path, name), name.slice('attributes.'.length));
    if (!Array.isArray(values) || values.length === 0 || values.length > valuesMax) {
      throw new InvalidInput(pathOf(path, name), `must be a list of 1 to ${valuesMax} values`);
    }
    values.forEach((one: unknown, at) =>
      parseText(`${pathOf(path, name)}[${at}]`, one, valueLengthMax),
    );
  }
}
