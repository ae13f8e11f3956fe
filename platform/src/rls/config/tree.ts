import { requestBounds } from '../bounds.ts';
import { RlsConfigError, type Place } from './config-error.ts';
import { Fields } from './fields.ts';
import { requireKnownKeys } from './known-keys.ts';
import { readRule } from './read-rule.ts';
import type { Rule } from './rule.ts';
import { Wildcard } from './wildcard.ts';
import type { Source, SourceRead } from './yaml-source.mjs';

/** All domains of a folder. Replaced as a whole, never changed. */
export type RlsConfig = ReadonlyMap<string, Level>;

/** The descriptors of one depth below one parent. */
export type Level = {
  /** By key and value; those without a value by their key. */
  readonly exact: ReadonlyMap<string, ReadonlyMap<string, Descriptor>>;
  readonly anyValue: ReadonlyMap<string, Descriptor>;
  /** By key, in the order of the file. */
  readonly wildcards: ReadonlyMap<string, readonly Descriptor[]>;
};

export type Descriptor = {
  readonly key: string;
  /** Empty: any. */
  readonly value: string;
  readonly wildcard: Wildcard | null;
  readonly rule: Rule | null;
  /** Null where there are none. */
  readonly children: Level | null;
  readonly isShared: boolean;
  readonly hasValueInStats: boolean;
  readonly hasDetailedStats: boolean;
};

/** A file, as far as YAML goes. */
export type ReadFile = { readonly name: string; readonly read: SourceRead };

export type TreeOptions = {
  /** Several files may add to one domain. */
  readonly isMerging: boolean;
};

export const descriptorsMax = 20_000;

/** All or nothing: what is wrong in one file refuses them all. */
export function buildConfig(files: readonly ReadFile[], { isMerging }: TreeOptions): RlsConfig {
  const domains = new Map<string, OpenLevel>();
  let made = 0;
  const count = (place: Place) => {
    made += 1;
    if (made > descriptorsMax) {
      throw new RlsConfigError(place, `there are more than ${descriptorsMax} descriptors`);
    }
  };
  for (const { name, read } of files) {
    if ('problem' in read) throw new RlsConfigError({ file: name, line: read.line }, read.problem);
    requireKnownKeys(name, read.source);
    const root = new Fields(name, read.source, 'a configuration file');
    const domain = root.text('domain');
    const place = root.placeOf('domain');
    if (domain === '') throw new RlsConfigError(place, 'config file cannot have empty domain');
    const known = domains.get(domain);
    if (known && !isMerging) {
      throw new RlsConfigError(place, `duplicate domain '${domain}' in config file`);
    }
    const level = known ?? new OpenLevel();
    domains.set(domain, level);
    level.add(root.list('descriptors'), { file: name, path: `${domain}.`, depth: 1, count });
  }
  return domains;
}

type Above = {
  readonly file: string;
  /** The composite key of the parent, as messages name it. */
  readonly path: string;
  readonly depth: number;
  readonly count: (place: Place) => void;
};

class OpenLevel implements Level {
  readonly exact = new Map<string, Map<string, Descriptor>>();
  readonly anyValue = new Map<string, Descriptor>();
  readonly wildcards = new Map<string, Descriptor[]>();

  add(sources: readonly Source[], { file, path, depth, count }: Above): void {
    for (const source of sources) {
      const fields = new Fields(file, source, 'a descriptor');
      const { place } = fields;
      count(place);
      if (depth > requestBounds.entries) {
        throw new RlsConfigError(
          place,
          `descriptors are nested more than ${requestBounds.entries} deep`,
        );
      }
      const key = fields.text('key');
      if (key === '') throw new RlsConfigError(place, 'descriptor has empty key');
      const value = fields.text('value');
      const composite = value === '' ? key : `${key}_${value}`;
      if (this.#has(key, value)) {
        throw new RlsConfigError(place, `duplicate descriptor composite key '${path}${composite}'`);
      }
      const rule = readRule(fields);
      const isShared = fields.flag('share_threshold');
      const wildcard = Wildcard.isIn(value) ? new Wildcard(value) : null;
      if (isShared && !wildcard) {
        throw new RlsConfigError(
          fields.placeOf('share_threshold'),
          `share_threshold can only be used with wildcard values (containing '*'), but found key '${composite}'`,
        );
      }
      const below = fields.list('descriptors');
      let children: OpenLevel | null = null;
      if (below.length > 0) {
        children = new OpenLevel();
        children.add(below, { file, path: `${path}${composite}.`, depth: depth + 1, count });
      }
      this.#put({
        key,
        value,
        wildcard,
        rule,
        children,
        isShared,
        hasValueInStats: fields.flag('value_to_metric'),
        hasDetailedStats: fields.flag('detailed_metric'),
      });
    }
  }

  #has(key: string, value: string): boolean {
    return value === '' ? this.anyValue.has(key) : (this.exact.get(key)?.has(value) ?? false);
  }

  #put(descriptor: Descriptor): void {
    const { key, value, wildcard } = descriptor;
    if (value === '') {
      this.anyValue.set(key, descriptor);
      return;
    }
    let byValue = this.exact.get(key);
    if (!byValue) this.exact.set(key, (byValue = new Map()));
    byValue.set(value, descriptor);
    if (!wildcard) return;
    const others = this.wildcards.get(key);
    if (others) others.push(descriptor);
    else this.wildcards.set(key, [descriptor]);
  }
}
