import type { BoundLimit } from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import type { Limit } from '../../core/limit.ts';
import { RecentPairs } from '../../core/recent-pairs.ts';
import { rememberedLengthMax, rememberedMax, type KeyedHash } from './keyed-hash.ts';

/** Enough to tell limits apart; nobody gains by two of them that share a counter. */
const limitLength = 11;

/**
 * What a counter is called where nobody may learn whom it counts: the limit's hash and, unless it
 * is one for all, that of the identity. The same in every engine with the same secret.
 */
export class CounterNames {
  readonly #hash: KeyedHash;
  readonly #limits = new WeakMap<Limit, string>();
  readonly #pairs = new RecentPairs<string>(rememberedMax);

  constructor(hash: KeyedHash) {
    this.#hash = hash;
  }

  of({ limit, parts }: BoundLimit): string {
    let tag = this.#limits.get(limit);
    if (tag === undefined) {
      tag = this.#hash.of(`l${limit.counterId}`).slice(0, limitLength);
      this.#limits.set(limit, tag);
    }
    return parts.length === 0 ? tag : tag + this.#identity(parts);
  }

  /** Most are a resource and a subject, and are found without putting a text together. */
  #identity(parts: readonly (string | null)[]): string {
    const [first, second] = parts;
    if (parts.length !== 2 || !first || !second) return this.#hash.of(identityOf(parts));
    // By the subject, which mostly comes with one resource: then that is all there is to look for.
    const known = this.#pairs.get(second, first);
    if (known !== undefined) return known;
    const made = this.#hash.fresh(identityOf(parts));
    if (first.length + second.length <= rememberedLengthMax) this.#pairs.offer(second, first, made);
    return made;
  }
}

function identityOf(parts: readonly (string | null)[]): string {
  let text = 'p';
  for (const part of parts) text += part === null ? '-' : `${part.length}:${part}`;
  return text;
}

const namePattern = /^[A-Za-z0-9_-]{11}(?:[A-Za-z0-9_-]{22})?$/;

/** A name comes back from outside, and must not be able to mean anything but a counter. */
export function requireCounterName(name: string): void {
  if (namePattern.test(name)) return;
  throw new InvalidInput('counter', 'is not a name that an engine gave');
}
