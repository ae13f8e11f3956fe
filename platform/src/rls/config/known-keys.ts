import { RlsConfigError } from './config-error.ts';
import type { Source } from './yaml-source.mjs';

const knownKeys = new Set([
  'domain',
  'key',
  'value',
  'descriptors',
  'rate_limit',
  'unit',
  'requests_per_unit',
  'unlimited',
  'shadow_mode',
  'quota_mode',
  'name',
  'replaces',
  'detailed_metric',
  'value_to_metric',
  'share_threshold',
  'metadata',
  'sluice',
]);
/** What is below them is not the reference service's. */
const ownInside = new Set(['metadata', 'sluice']);

/** A key that is misspelt would limit nothing, silently. Anywhere in the file, before all else. */
export function requireKnownKeys(file: string, source: Source): void {
  if (source.kind !== 'map') return;
  for (const { key, value } of source.fields) {
    const name = nameOf(file, key);
    if (!knownKeys.has(name)) {
      throw new RlsConfigError(
        { file, line: key.line },
        `config error, unknown key '${shortened(name)}'`,
      );
    }
    if (ownInside.has(name)) continue;
    if (value.kind === 'list') for (const item of value.items) requireMap(file, item);
    requireKnownKeys(file, value);
    if (value.kind === 'list') for (const item of value.items) requireKnownKeys(file, item);
  }
}

function nameOf(file: string, key: Source): string {
  if (key.kind === 'scalar' && typeof key.value === 'string') return key.value;
  const shown = key.kind === 'scalar' ? shortened(key.text) : key.kind;
  throw new RlsConfigError(
    { file, line: key.line },
    `config error, key is not of type string: ${shown}`,
  );
}

function requireMap(file: string, item: Source): void {
  if (item.kind === 'map') return;
  const shown = item.kind === 'scalar' ? shortened(item.text) : item.kind;
  throw new RlsConfigError(
    { file, line: item.line },
    `config error, yaml file contains list of type other than map: ${shown}`,
  );
}

function shortened(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}
