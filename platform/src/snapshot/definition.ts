import { limitFromWire, numbersOf, resolveShare, type CanonicalLimit } from 'sluice/contract';
import { InvalidInput, parseLimit, type Limit, type Mode } from 'sluice/core';
import type { Override } from './overrides.ts';
import type { Pattern } from './pattern.ts';

/** Who says that there is such a limit. */
export type DefinedBy =
  | { readonly kind: 'plan'; readonly id: string }
  | { readonly kind: 'policy'; readonly id: string; readonly resource: string };

/** The mode a limit has for a call, and from when on it refuses if it does not yet. */
export type ModeNow = { readonly mode: Mode; readonly enforceFromMs: number | null };

/** What replaces a limit's own numbers, and those of the limit that it is a share of. */
export type Replaced = { readonly own: Override | null; readonly base: Override | null };

const nothingReplaced: Replaced = { own: null, base: null };

export type DefinitionParts = {
  /** With the calendar of its tenant, where it has none of its own. */
  readonly wire: CanonicalLimit;
  readonly definedBy: DefinedBy;
  readonly resources: readonly Pattern[] | null;
  /** What it is a share of. */
  readonly base: Definition | null;
};

/**
 * A limit as a plan or policy defines it. What a call is under is made from it: in the mode of the
 * day, with the numbers that an override says. What no override changes is made once for all tenants.
 */
export class Definition {
  readonly name: string;
  readonly wire: CanonicalLimit;
  readonly definedBy: DefinedBy;
  readonly base: Definition | null;
  readonly #resources: readonly Pattern[] | null;
  readonly #when: readonly (readonly [string, readonly string[]])[];
  readonly #made = new Map<string, Limit>();

  constructor({ wire, definedBy, resources, base }: DefinitionParts) {
    this.name = wire.name;
    this.wire = wire;
    this.definedBy = definedBy;
    this.base = base;
    this.#resources = resources;
    this.#when = Object.entries(wire.when ?? {}).map(([name, values]) => [
      name.slice('attributes.'.length),
      values,
    ]);
  }

  get isConditional(): boolean {
    return this.#when.length > 0;
  }

  isFor(resource: string): boolean {
    return this.#resources?.some((pattern) => pattern.matches(resource)) ?? true;
  }

  /** Whether the call has what the limit is only for. */
  appliesTo(attributes: Readonly<Record<string, string>>): boolean {
    return this.#when.every(
      ([name, values]) =>
        Object.hasOwn(attributes, name) && values.includes(attributes[name] as string),
    );
  }

  /** With its own numbers. */
  plain(now: ModeNow): Limit {
    const key = `${now.mode} ${now.enforceFromMs}`;
    let limit = this.#made.get(key);
    if (!limit) {
      // Dates come and go; what they were is of no use.
      if (this.#made.size >= rememberedMax) this.#made.clear();
      this.#made.set(key, (limit = this.#make(now, nothingReplaced)));
    }
    return limit;
  }

  /** With what replaces its numbers. An override that no longer fits the limit changes nothing. */
  replaced(now: ModeNow, replaced: Replaced): Limit {
    try {
      return this.#make(now, replaced);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return this.plain(now);
    }
  }

  #make({ mode, enforceFromMs }: ModeNow, replaced: Replaced): Limit {
    const by = replaced.own ?? replaced.base;
    const wire = { ...this.#wireWith(replaced), mode, confirm: true };
    const limit = parseLimit(limitFromWire(wire, this.name), {
      definedBy: this.definedBy.kind === 'plan' ? 'plan' : `policy ${this.definedBy.resource}`,
      field: this.name,
      enforceFromMs: mode === 'enforce' ? null : enforceFromMs,
      override: by && {
        id: by.id,
        baseSize: this.plain({ mode, enforceFromMs }).size,
      },
    });
    if (!limit) throw new Error('a limit that is off is not made');
    return limit;
  }

  /** Its numbers, under the API's names, with what replaces them. */
  numbersWith(replaced: Replaced): Readonly<Record<string, unknown>> {
    return numbersOf(this.#wireWith(replaced));
  }

  /** As the API spells it, with what replaces its numbers. */
  #wireWith({ own, base }: Replaced): CanonicalLimit {
    const mine = own ? own.onto(this.wire) : this.wire;
    if (!mine.share_of || !this.base) return mine;
    return resolveShare(mine, base ? base.onto(this.base.wire) : this.base.wire);
  }
}

const rememberedMax = 16;
