import type { Limit } from 'sluice/core';
import type { Definition, Replaced } from './definition.ts';
import type { ModeBecause } from './modes.ts';
import type { CalledBy, OverrideChoice } from './overrides.ts';

/** A limit that may apply to calls of one resource: in which mode, and for whom with which numbers. */
export class Rule {
  readonly definition: Definition;
  readonly mode: ModeBecause;
  readonly #own: OverrideChoice;
  readonly #base: OverrideChoice;
  readonly #made = new Map<string, Limit>();

  /** `base` are the overrides of the limit that this one is a share of. */
  constructor(
    definition: Definition,
    mode: ModeBecause,
    { own, base }: { readonly own: OverrideChoice; readonly base: OverrideChoice },
  ) {
    this.definition = definition;
    this.mode = mode;
    this.#own = own;
    this.#base = base;
  }

  /** Whether it looks at who calls, and not only at what is called. */
  get isPersonal(): boolean {
    return this.definition.isConditional || this.#own.isPersonal || this.#base.isPersonal;
  }

  replacedFor(call: CalledBy): Replaced {
    return {
      own: this.#own.for(call),
      base: this.definition.base ? this.#base.for(call) : null,
    };
  }

  /** Null when it is not for this call. */
  for(call: CalledBy): Limit | null {
    const { definition, mode } = this;
    if (mode.mode === 'off' || !definition.appliesTo(call.attributes)) return null;
    const { own, base } = this.replacedFor(call);
    if (!own && !base) return definition.plain(mode);
    const key = `${own?.id ?? ''} ${base?.id ?? ''}`;
    let limit = this.#made.get(key);
    if (!limit) this.#made.set(key, (limit = definition.replaced(mode, { own, base })));
    return limit;
  }
}
