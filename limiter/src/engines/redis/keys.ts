import { hash } from 'node:crypto';
import type { BoundLimit, TenantRef } from '../../core/engine.ts';
import { joined, type Limit } from '../../core/limit.ts';

/**
 * The only place that spells a Redis key: `sl1:{tenant}:limit` + identity. All keys of a tenant
 * share its hash tag and so a slot. Names, subjects and tenants appear as keyed hashes only: of one
 * length whatever the text, and meaningless without the secret. `1` is the version of the formats.
 */
export class Keys {
  readonly #prefix: string;
  readonly #secret: string;
  readonly #hashes = new RecentMap<string>();
  readonly #tenants = new RecentMap<string>();
  readonly #limits = new WeakMap<Limit, string>();

  constructor({ prefix, secret }: { readonly prefix: string; readonly secret: string }) {
    this.#prefix = `${prefix}1:`;
    this.#secret = joined([secret]);
  }

  /** What every key of the tenant begins with. */
  tenant({ id, generation = 0 }: TenantRef): string {
    let tenant = this.#tenants.get(id);
    if (tenant === undefined) {
      const tag = this.#hash(`t${id}`).slice(0, tagLength);
      tenant = `${this.#prefix}{${tag}}`;
      this.#tenants.set(id, tenant);
    }
    return generation === 0 ? `${tenant}:` : `${tenant}${generation}:`;
  }

  /** The part of a counter's key after the tenant's. */
  counter({ limit, parts }: BoundLimit): string {
    let tag = this.#limits.get(limit);
    if (tag === undefined) {
      tag = this.#hash(`l${limit.counterId}`).slice(0, limitLength);
      this.#limits.set(limit, tag);
    }
    return parts.length === 0 ? tag : tag + this.#hash(identityOf(parts));
  }

  answer(scope: string, key: string): string {
    return `i${this.#hash(`i${joined([scope, key])}`)}`;
  }

  /** Tells questions apart without keeping what they said. */
  fingerprint(text: string): string {
    return this.#hash(`f${text}`);
  }

  reservation = (id: string): string => `r${this.#hash(`r${id}`)}`;
  refund = (id: string): string => `b${this.#hash(`b${id}`)}`;
  ledgerBatch = (id: string): string => `u${this.#hash(`u${id}`)}`;

  /** Hashing costs more than looking up, and most traffic comes from few. */
  #hash(text: string): string {
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const made = hash('sha256', this.#secret + text, 'base64url').slice(0, hashLength);
    if (text.length <= rememberedLengthMax) this.#hashes.set(text, made);
    return made;
  }
}

/** 132 bits: nobody finds two identities that share a counter. */
const hashLength = 22;
const tagLength = 16;
const limitLength = 11;

const rememberedLengthMax = 200;

/** Suffixes of keys that are one per tenant; no hash is this short. */
export const epochSuffix = 'e';
export const ledgerSuffix = 'u';
export const countersAllowanceSuffix = 'n';
export const recordsAllowanceSuffix = 'm';
export const holdsSuffix = 'h';
export const penaltySuffix = 'p';

function identityOf(parts: readonly (string | null)[]): string {
  let text = 'p';
  for (const part of parts) text += part === null ? '-' : `${part.length}:${part}`;
  return text;
}

const recentMax = 20_000;

/** A bounded map that forgets the older half of what was not asked for lately. */
class RecentMap<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, value: T): void {
    if (this.#young.size >= recentMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}
