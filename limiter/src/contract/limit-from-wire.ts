import type { AlgorithmName } from '../core/algorithms/index.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { parseMode } from '../core/mode.ts';
import { parseLimit } from '../core/parse-limit.ts';
import { oneOf, requireObject } from '../core/parse.ts';
import { requireKnownFields, requireOwnFields } from './known-fields.ts';
import { commonFields, libraryNames, listOwn, secondsFields } from './limit-fields.ts';
import type { LimitField } from './limit-fields.ts';
import { inWireWords } from './translate.ts';
import { parseDecimal, parsePatterns, pathOf, secondsMax } from './wire-parse.ts';
import type { CanonicalLimit } from './wire-limit.ts';

/** A limit as the API spells it → as the library does; errors speak of the API's fields. */
export function limitFromWire(wire: unknown, field: string): LimitInput {
  return read(wire, field).input;
}

/** The form in which a limit is stored and shown; throws as `limitFromWire`. */
export function canonicalLimit(wire: unknown, field: string): CanonicalLimit {
  return read(wire, field).canonical;
}

type Fields = Readonly<Record<string, unknown>>;
type Read = { readonly input: LimitInput; readonly canonical: CanonicalLimit };

const algorithms = {
  token_bucket: 'token_bucket',
  fixed_window: 'fixed_window',
  sliding_window: 'sliding_window_log',
  sliding_window_log: 'sliding_window_log',
  sliding_window_counter: 'sliding_window_counter',
  concurrency: 'concurrency',
  quota: 'quota',
} as const satisfies Record<string, AlgorithmName>;
const spellings = Object.keys(algorithms) as (keyof typeof algorithms)[];

function read(wire: unknown, field: string): Read {
  requireObject(field, wire);
  const fields = wire as Fields;
  const algorithm =
    algorithms[oneOf(pathOf(field, 'algorithm'), ownValue(fields, 'algorithm'), spellings)];
  requireKnownFields(fields, algorithm, field);
  requireOwnFields(fields, algorithm, field);
  requireDecimals(fields, field);
  if (fields['resources'] !== undefined)
    parsePatterns(pathOf(field, 'resources'), fields['resources']);
  const canonical = spell(fields, algorithm, pathOf(field, 'mode'));
  const input = toInput(canonical);
  inWireWords(field, () => parseLimit(input, { definedBy: 'contract', field: 'limit' }));
  return { input, canonical };
}

/** Seconds and rates are read from their decimals, exactly. */
function requireDecimals(fields: Fields, field: string): void {
  for (const name of secondsFields) {
    if (fields[name] !== undefined) parseDecimal(pathOf(field, name), fields[name], secondsMax);
  }
  const rate = 'refill_rate_per_sec';
  if (fields[rate] !== undefined) parseDecimal(pathOf(field, rate), fields[rate], 2 ** 50);
}

/** In one order, with the name and without synonyms; what says nothing is left out. */
function spell(fields: Fields, algorithm: AlgorithmName, modePath: string): CanonicalLimit {
  const { name: given = algorithm } = fields;
  const spelled: Record<string, unknown> = { name: given, algorithm };
  for (const name of [...listOwn(algorithm), ...commonFields, 'resources']) {
    if (fields[name] !== undefined) spelled[name] = fields[name];
  }
  if (fields['mode'] !== undefined) spelled['mode'] = parseMode(modePath, fields['mode']);
  return spelled as CanonicalLimit;
}

function toInput(canonical: CanonicalLimit): LimitInput {
  const { resources: _resources, ...fields } = canonical;
  const entries = Object.entries(fields).map(([name, value]) => [
    libraryNames[name as LimitField],
    secondsFields.includes(name as LimitField) ? `${String(value)} s` : value,
  ]);
  return Object.fromEntries(entries) as LimitInput;
}

function ownValue(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
