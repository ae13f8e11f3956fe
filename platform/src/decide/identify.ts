import { isMarked, type Credential } from '../control/credentials/credential.ts';
import type { KeyRing } from '../snapshot/key-ring.ts';
import type { KnownKey } from '../snapshot/known-key.ts';
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
  /** Of those who bring what we never made. */
  readonly strangers: AddressFailures;
  /** Of those whose ids are ours and had to be looked up in vain. */
  readonly lookUps: AddressFailures;
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
    const snapshot = key ? snapshots.knownOf(key) : undefined;
    if (!key || !snapshot || key.epoch < snapshot.epoch.tenant) {
      return this.#lookUp(credential, address);
    }
    key.seen(snapshot);
    this.#verify(credential, key, address);
    return { key, snapshot };
  }

  async #lookUp(credential: Credential, address: string): Promise<Caller> {
    const { keys, snapshots } = this.#parts;
    const { id } = credential;
    const known = keys.known(id);
    let key = known === undefined ? await this.#find(id, address) : known;
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
    key.seen(snapshot);
    return { key, snapshot };
  }

  /**
   * An id that is not ours costs the database nothing. One that is can't be invented, so that it is
   * looked up from wherever it comes: many tenants may call from one address.
   */
  async #find(id: string, address: string): Promise<KnownKey | null> {
    const { keys, lookUps, markSecret, isImported, onFailure } = this.#parts;
    if (!isMarked(id, markSecret) && !isImported(id)) throw this.#refused(address, 'not_ours');
    const limited = lookUps.limitOf(address);
    if (limited) {
      onFailure('limited');
      throw limited;
    }
    const key = await keys.find(id);
    if (!key) lookUps.count(address);
    return key;
  }

  /** Its tenant is gone, and so is the key. */
  forget({ id }: KeySource, address: string): Error {
    this.#parts.keys.forget(id);
    return this.#refused(address, 'unknown');
  }

  /** With the database away, a key that was good goes on being so. */
  async #findAgain(key: KnownKey, epoch: number): Promise<KnownKey | null> {
    try {
      return await this.#parts.keys.find(key.id, epoch);
    } catch (error) {
      if (this.#parts.isUnavailable(error)) return key;
      throw error;
    }
  }

  #verify({ secret }: Credential, key: KnownKey, address: string): void {
    if (!key.opens(secret)) throw this.#refused(address, 'wrong_secret');
    const isExpired = key.expiresAtMs !== null && Date.now() >= key.expiresAtMs;
    if (key.revoked || isExpired) throw this.#refused(address, 'over');
  }

  #refused(address: string, reason: Exclude<KeyFailure, 'limited'>): Error {
    const { strangers, onFailure } = this.#parts;
    const isStranger = reason === 'malformed' || reason === 'not_ours';
    const limited = isStranger ? strangers.count(address) : null;
    onFailure(limited ? 'limited' : reason);
    return limited ?? new Unauthenticated('unknown, revoked or expired key');
  }
}
