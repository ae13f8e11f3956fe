import type { AlgorithmName } from '../core/algorithms/index.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { parseMode } from '../core/mode.ts';
import { parseLimit } from '../core/parse-limit.ts';
import { oneOf, requireObject } from '../core/parse.ts';
import { requireKnownFields, requireOwnFields } from './known-fields.ts';
import { commonFields, libraryNames, listOwn, secondsFields } from './limit-fields.ts';
import type { LimitField } from './limit-fields.ts';
import { parseShareOf, standIn } from './share-of.ts';
import { inWireWords } from './translate.ts';
import { parseDecimal, parsePatterns, parseWhen, pathOf, secondsMax } from './wire-parse.ts';
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
  if (fields['resources'] !== undefined) {
    parsePatterns(pathOf(field, 'resources'), fields['resources']);
  }
  if (fields['when'] !== undefined) parseWhen(pathOf(field, 'when'), fields['when']);
  if (fields['share_of'] !== undefined) parseShareOf(fields, algorithm, field);
  const canonical = spell(fields, algorithm, pathOf(field, 'mode'));
  const input = toInput(standIn(canonical));
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
  for (const name of [...listOwn(algorithm), ...commonFields, 'resources', 'when', 'share_of']) {
    if (fields[name] !== undefined && fields[name] !== false) spelled[name] = fields[name];
  }
  if (fields['mode'] !== undefined) spelled['mode'] = parseMode(modePath, fields['mode']);
  return spelled as CanonicalLimit;
}

function toInput(canonical: CanonicalLimit): LimitInput {
  const { resources: _resources, when: _when, share_of: _share, ...fields } = canonical;
  const entries = Object.entries(fields).map(([name, value]) => [
    libraryNames[name as LimitField],
    valueOf(name as LimitField, value),
  ]);
  return Object.fromEntries(entries) as LimitInput;
}

function valueOf(name: LimitField, value: unknown): unknown {
  if (secondsFields.includes(name)) return `${String(value)} s`;
  if (name !== 'backpressure' || typeof value !== 'object' || value === null) return value;
  const { max_delay_ms: maxDelayMs, ...rest } = value as Fields;
  return { ...rest, ...(maxDelayMs !== undefined && { maxDelayMs }) };
}

function ownValue(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
