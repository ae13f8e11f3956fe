import { isMarked, opens, type Credential } from '../control/credentials/credential.ts';
import type { KeyRing } from '../snapshot/key-ring.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { KeySource } from '../snapshot/source.ts';
import type { AddressFailures } from './address-failures.ts';
import { Unauthenticated } from './errors.ts';

/** A key that opened, and what its tenant may do. */
export type Caller = { readonly key: KeySource; readonly snapshot: Snapshot };

export type IdentifierParts = {
  readonly keys: KeyRing;
  readonly snapshots: Snapshots;
  readonly failures: AddressFailures;
  readonly markSecret: string;
  /** Ids of keys that were made elsewhere. */
  readonly imported: ReadonlySet<string>;
  /** Whether an error means that the database can't be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
};

/** API key → tenant. Without I/O where the key and its tenant are known. */
export class Identifier {
  readonly #parts: IdentifierParts;

  constructor(parts: IdentifierParts) {
    this.#parts = parts;
  }

  identify(credential: Credential | null, address: string): Caller | Promise<Caller> {
    if (!credential) throw this.#refused(address);
    const { keys, snapshots } = this.#parts;
    const key = keys.known(credential.id);
    const snapshot = key ? snapshots.known(key.tenantId) : undefined;
    if (!key || !snapshot || key.epoch < snapshot.epoch.tenant) {
      return this.#lookUp(credential, address);
    }
    this.#verify(credential, key, address);
    return { key, snapshot };
  }

  async #lookUp(credential: Credential, address: string): Promise<Caller> {
    const { keys, snapshots, failures, markSecret, imported } = this.#parts;
    const { id } = credential;
    if (keys.known(id) === undefined) {
      failures.admit(address);
      if (!isMarked(id, markSecret) && !imported.has(id)) throw this.#refused(address);
    }
    let key = keys.known(id) ?? (await keys.find(id));
    if (!key) throw this.#refused(address);
    // Before anything else is looked up for somebody who only knows an id.
    this.#verify(credential, key, address);
    const snapshot = snapshots.known(key.tenantId) ?? (await snapshots.load(key.tenantId));
    if (!snapshot) throw this.#refused(address);
    if (key.epoch < snapshot.epoch.tenant) {
      key = await this.#findAgain(key, snapshot.epoch.tenant);
      if (!key) throw this.#refused(address);
      this.#verify(credential, key, address);
    }
    return { key, snapshot };
  }

  /** With the database away, a key that was good goes on being so. */
  async #findAgain(key: KeySource, epoch: number): Promise<KeySource | null> {
    try {
      return await this.#parts.keys.find(key.id, epoch);
    } catch (error) {
      if (this.#parts.isUnavailable(error)) return key;
      throw error;
    }
  }

  #verify({ secret }: Credential, key: KeySource, address: string): void {
    const isOver = key.revoked || (key.expiresAtMs !== null && Date.now() >= key.expiresAtMs);
    if (!opens(secret, key) || isOver) throw this.#refused(address);
  }

  #refused(address: string): Unauthenticated {
    this.#parts.failures.count(address);
    return new Unauthenticated('unknown, revoked or expired key');
  }
}
