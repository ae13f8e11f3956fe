import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type YAMLMap,
} from 'yaml';
import { RlsConfigError, type Place } from './config-error.ts';

/** A value in a file, with where it stands. */
export type Source = { readonly place: Place } & (
  | { readonly kind: 'scalar'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Source[] }
  | { readonly kind: 'map'; readonly fields: readonly SourceField[] }
);

export type SourceField = { readonly key: Source; readonly value: Source };

/** Aliases may make much of little. */
const sourcesMax = 1_000_000;
/** Far deeper than anybody nests descriptors, far shallower than what a stack holds. */
const depthMax = 100;

/** What a file says, by the YAML that the reference service reads: 1.1, with anchors and merges. */
export function readSource(file: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
  });
  const placeAt = (offset: number): Place => ({ file, line: lines.linePos(offset).line || 1 });
  const [error] = document.errors;
  if (error) {
    throw new RlsConfigError(
      placeAt(error.pos[0]),
      `error loading config file: ${error.message.split('\n')[0]}`,
    );
  }
  return new Walk(document, placeAt).read(document.contents, placeAt(0), 0);
}

class Walk {
  readonly #document: Document;
  readonly #placeAt: (offset: number) => Place;
  #read = 0;

  constructor(document: Document, placeAt: (offset: number) => Place) {
    this.#document = document;
    this.#placeAt = placeAt;
  }

  read(given: unknown, parent: Place, depth: number): Source {
    const node = isAlias(given) ? given.resolve(this.#document) : given;
    // An alias stands where it is used.
    const place = this.#placeOf(given, parent);
    this.#read += 1;
    if (this.#read > sourcesMax || depth > depthMax) {
      throw new RlsConfigError(place, 'error loading config file: too large or nested too deeply');
    }
    if (isMap(node)) return { place, kind: 'map', fields: this.#fields(node, place, depth) };
    if (isSeq(node)) {
      const items = node.items.map((item) => this.read(item, place, depth + 1));
      return { place, kind: 'list', items };
    }
    if (!isScalar(node)) return { place, kind: 'scalar', value: null, text: '' };
    return { place, kind: 'scalar', value: node.value, text: textOf(node) };
  }

  #fields(map: YAMLMap, place: Place, depth: number): SourceField[] {
    const own: SourceField[] = [];
    const merged: SourceField[] = [];
    for (const { key, value } of map.items) {
      if (isScalar(key) && key.source === '<<') {
        merged.push(...this.#merged(this.read(value, place, depth + 1)));
      } else {
        own.push({
          key: this.read(key, place, depth + 1),
          value: this.read(value, this.#placeOf(key, place), depth + 1),
        });
      }
    }
    return [...own, ...merged.filter((field) => !own.some((one) => isSameKey(one, field)))];
  }

  #merged(source: Source): readonly SourceField[] {
    if (source.kind === 'map') return source.fields;
    if (source.kind === 'list') return source.items.flatMap((item) => this.#merged(item));
    throw new RlsConfigError(source.place, 'error loading config file: << merges maps only');
  }

  #placeOf(node: unknown, parent: Place): Place {
    const range = (node as { readonly range?: readonly number[] | null } | null)?.range;
    return range?.[0] === undefined ? parent : this.#placeAt(range[0]);
  }
}

/** As it is written: to a text, `value: 010` and `value: yes` mean these letters. */
function textOf({ value, source }: { readonly value: unknown; readonly source?: string }): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : (source ?? '');
}

function isSameKey(a: SourceField, b: SourceField): boolean {
  return a.key.kind === 'scalar' && b.key.kind === 'scalar' && a.key.text === b.key.text;
}
