import { requestBounds, uint32Max } from '../bounds.ts';
import { RlsConfigError, type Place } from './config-error.ts';
import type { Source } from './yaml-source.mjs';

/** Reads a map's fields as the types they are declared with. What says nothing is absent. */
export class Fields {
  readonly place: Place;
  readonly #values: ReadonlyMap<string, Source>;

  constructor(file: string, source: Source, what: string) {
    this.place = { file, line: source.line };
    if (source.kind !== 'map') throw mismatch(this.place, `${what} must be a map`);
    this.#values = new Map(
      source.fields.map(({ key, value }) => [key.kind === 'scalar' ? key.text : '', value]),
    );
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Undefined where nothing is said, or null. */
  get(name: string): Source | undefined {
    const value = this.#values.get(name);
    return value?.kind === 'scalar' && value.value === null ? undefined : value;
  }

  placeOf(name: string): Place {
    const value = this.#values.get(name);
    return value ? this.placeAt(value) : this.place;
  }

  placeAt({ line }: Source): Place {
    return { file: this.place.file, line };
  }

  /** One of its values that is a map itself. */
  below(source: Source, what: string): Fields {
    return new Fields(this.place.file, source, what);
  }

  text(name: string): string {
    const value = this.get(name);
    if (!value) return '';
    if (value.kind !== 'scalar') throw mismatch(this.placeAt(value), `${name} must be a text`);
    if (value.text.length > requestBounds.keyBytes || !value.text.isWellFormed()) {
      throw mismatch(
        this.placeAt(value),
        `${name} must be at most ${requestBounds.keyBytes} characters of Unicode`,
      );
    }
    return value.text;
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (!value) return false;
    if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
    throw mismatch(this.placeAt(value), `${name} must be true or false`);
  }

  count(name: string): number {
    const value = this.get(name);
    if (!value) return 0;
    const given = value.kind === 'scalar' ? value.value : undefined;
    if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= uint32Max) {
      return given;
    }
    throw mismatch(this.placeAt(value), `${name} must be a whole number from 0 to ${uint32Max}`);
  }

  list(name: string): readonly Source[] {
    const value = this.get(name);
    if (!value) return [];
    if (value.kind !== 'list') throw mismatch(this.placeAt(value), `${name} must be a list`);
    return value.items;
  }
}

function mismatch(place: Place, problem: string): RlsConfigError {
  return new RlsConfigError(place, `error loading config file: ${problem}`);
}

/** As plain data: what metadata and our own limits are. */
export function plainOf(source: Source): unknown {
  if (source.kind === 'list') return source.items.map(plainOf);
  if (source.kind === 'map') {
    const entries = source.fields.map(({ key, value }) => [
      key.kind === 'scalar' ? key.text : '',
      plainOf(value),
    ]);
    return Object.assign(Object.create(null), Object.fromEntries(entries));
  }
  const { value, text } = source;
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? value : text;
}
