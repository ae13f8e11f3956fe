import type { Snapshot } from './snapshot.ts';
import type { KeySource } from './source.ts';

/** A key that this node knows, with what is found through it at a glance. */
export class KnownKey implements KeySource {
  readonly id: string;
  tenantId: string;
  readonly epoch: number;
  readonly salt: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
  #snapshot: Snapshot | null = null;
  /** In which round it was last noted that somebody used it. */
  usedIn: object | null = null;

  constructor(source: KeySource) {
    this.id = source.id;
    this.tenantId = source.tenantId;
    this.epoch = source.epoch;
    this.salt = source.salt;
    this.hash = source.hash;
    this.scopes = sameScopes(source.scopes);
    this.expiresAtMs = source.expiresAtMs;
    this.revoked = source.revoked;
  }

  /** Its tenant's, as last seen: `Snapshots` say whether it still is. */
  get snapshot(): Snapshot | null {
    return this.#snapshot;
  }

  seen(snapshot: Snapshot): void {
    if (this.#snapshot === snapshot) return;
    this.#snapshot = snapshot;
    // The same text, which is not kept once for each key.
    this.tenantId = snapshot.tenant.id;
  }
}

const rememberedMax = 1000;
const remembered = new Map<string, readonly string[]>();

/** Nearly all keys have one of few sets of scopes: those are one list, not one for each key. */
function sameScopes(scopes: readonly string[]): readonly string[] {
  const name = scopes.join(' ');
  const known = remembered.get(name);
  if (known) return known;
  if (remembered.size < rememberedMax) remembered.set(name, scopes);
  return scopes;
}
