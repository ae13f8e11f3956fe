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
  /** Whether a key was made elsewhere, and so does not carry our mark. */
  readonly isImported: (id: string) => boolean;
  /** Whether an error means that the database can't be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly onFailure: (reason: KeyFailure) => void;
};

export type KeyFailure = 'malformed' | 'not_ours' | 'unknown' | 'wrong_secret' | 'over' | 'limited';

/** API key → tenant. Without I/O where the key and its tenant are known. */
export class Identifier {
  readonly #parts: IdentifierParts;

  constructor(parts: IdentifierParts) {
    this.#parts = parts;
  }

  identify(credential: Credential | null, address: string): Caller | Promise<Caller> {
    if (!credential) throw this.#refused(address, 'malformed');
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
    const { keys, snapshots, markSecret, isImported } = this.#parts;
    const { id } = credential;
    const known = keys.known(id);
    // An id that we made is worth a look-up, from wherever it comes: nobody else can make one, and
    // many tenants may call from one address. Others are refused here, and cost the database nothing.
    if (known === undefined && !isMarked(id, markSecret) && !isImported(id)) {
      throw this.#refused(address, 'not_ours');
    }
    let key = known === undefined ? await keys.find(id) : known;
    if (!key) throw this.#refused(address, 'unknown');
    // Before anything else is looked up for somebody who only knows an id.
    this.#verify(credential, key, address);
    const snapshot = snapshots.known(key.tenantId) ?? (await snapshots.load(key.tenantId));
    if (!snapshot) throw this.forget(key, address);
    if (key.epoch < snapshot.epoch.tenant) {
      key = await this.#findAgain(key, snapshot.epoch.tenant);
      if (!key) throw this.#refused(address, 'unknown');
      this.#verify(credential, key, address);
    }
    return { key, snapshot };
  }

  /** Its tenant is gone, and so is the key. */
  forget({ id }: KeySource, address: string): Error {
    this.#parts.keys.forget(id);
    return this.#refused(address, 'unknown');
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
    if (!opens(secret, key)) throw this.#refused(address, 'wrong_secret');
    const isExpired = key.expiresAtMs !== null && Date.now() >= key.expiresAtMs;
    if (key.revoked || isExpired) throw this.#refused(address, 'over');
  }

  /** What a guesser would do counts against its address; a key that is over may be anybody's mistake. */
  #refused(address: string, reason: Exclude<KeyFailure, 'limited'>): Error {
    const { failures, onFailure } = this.#parts;
    const limited = reason === 'over' ? null : failures.count(address);
    onFailure(limited ? 'limited' : reason);
    return limited ?? new Unauthenticated('unknown, revoked or expired key');
  }
}
