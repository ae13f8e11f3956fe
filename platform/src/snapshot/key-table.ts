import { hashBytes, idLength, opensHash, saltLength } from '../control/credentials/credential.ts';
import { KnownKey } from './known-key.ts';
import type { Snapshot } from './snapshot.ts';
import type { KeySource } from './source.ts';

/** Where the parts of a row are, in bytes. What a check looks at comes first: two lines of a cache. */
const idAt = 0;
const isGoneAt = 21;
const isRevokedAt = 22;
const saltAt = 24;
const hashAt = 48;
const tenantIdAt = 112;
const rowBytes = 128;
/** And in numbers of eight bytes. */
const epochAt = 10;
const expiresAt = 11;
const scopesAt = 12;
const usedInAt = 13;
const rowNumbers = rowBytes / 8;

/** A power of two, as all sizes are. */
const rowsFirst = 1024;
/** At most half of the slots are taken, so that who is looked for is found after one or two. */
const slotsPerRow = 2;

/**
 * Keys by their ids, each a row of bytes. A node may know hundreds of thousands, of which no two calls in
 * a row ask for the same: as objects each would be a handful of places in memory that are in no cache,
 * and all of them pages that every collection of garbage looks at.
 */
export class KeyTable {
  #bytes = Buffer.alloc(0);
  #numbers = new Float64Array(0);
  /** A row's number and one, where the hash of its id says or behind; 0 where there is none. */
  #slots = new Int32Array(0);
  #rows = 0;
  #gone = 0;
  #moves = 0;
  /** Where `letGo` is. */
  #lookedAt = 0;
  /** By row: of its tenant, as last seen. */
  readonly #snapshots: (Snapshot | null)[] = [];
  /** Nearly all keys have one of few sets of scopes, which are kept once. */
  readonly #scopes: (readonly string[])[] = [];
  readonly #scopesByName = new Map<string, number>();

  constructor(rows = rowsFirst) {
    this.#makeRoom(rows);
  }

  get size(): number {
    return this.#rows - this.#gone;
  }

  /** How many there is room for. */
  get room(): number {
    return this.#bytes.length / rowBytes;
  }

  /** How often rows were moved: who remembers one from before looks for it again. */
  get moves(): number {
    return this.#moves;
  }

  get(id: string): KnownKey | undefined {
    const row = this.rowOf(id);
    return row < 0 ? undefined : new KnownKey(this, row);
  }

  /** Less than 0 where there is none. */
  rowOf(id: string): number {
    const row = this.#find(id);
    return row < 0 || this.#isGone(row) ? -1 : row;
  }

  set(id: string, key: KeySource): void {
    const salt = Buffer.from(key.salt, 'latin1');
    const hash = Buffer.from(key.hash, 'hex');
    const tenantId = Buffer.from(key.tenantId.replaceAll('-', ''), 'hex');
    // Before anything is written: a row is whole or is not there.
    requireLength('id', id, idLength);
    requireLength('salt', salt, saltLength);
    requireLength('hash', hash, hashBytes);
    requireLength('tenant', tenantId, 16);
    const row = this.#rowFor(id);
    const start = row * rowBytes;
    this.#bytes.set(salt, start + saltAt);
    this.#bytes.set(hash, start + hashAt);
    this.#bytes.set(tenantId, start + tenantIdAt);
    this.#bytes[start + isRevokedAt] = key.revoked ? 1 : 0;
    const first = row * rowNumbers;
    this.#numbers[first + epochAt] = key.epoch;
    this.#numbers[first + expiresAt] = key.expiresAtMs ?? Number.NaN;
    this.#numbers[first + scopesAt] = this.#scopesNumber(key.scopes);
    this.#numbers[first + usedInAt] = 0;
    this.#snapshots[row] = null;
  }

  delete(id: string): void {
    const row = this.rowOf(id);
    if (row < 0) return;
    this.#bytes[row * rowBytes + isGoneAt] = 1;
    this.#snapshots[row] = null;
    this.#gone += 1;
  }

  idOf(row: number): string {
    const start = row * rowBytes + idAt;
    return this.#bytes.toString('latin1', start, start + idLength);
  }

  epochOf(row: number): number {
    return this.#numbers[row * rowNumbers + epochAt] as number;
  }

  expiresAtMsOf(row: number): number | null {
    const ms = this.#numbers[row * rowNumbers + expiresAt] as number;
    return Number.isNaN(ms) ? null : ms;
  }

  scopesOf(row: number): readonly string[] {
    return this.#scopes[this.#numbers[row * rowNumbers + scopesAt] as number] ?? [];
  }

  isRevoked(row: number): boolean {
    return this.#bytes[row * rowBytes + isRevokedAt] === 1;
  }

  usedIn(row: number): number {
    return this.#numbers[row * rowNumbers + usedInAt] as number;
  }

  setUsedIn(row: number, round: number): void {
    this.#numbers[row * rowNumbers + usedInAt] = round;
  }

  snapshotOf(row: number): Snapshot | null {
    return this.#snapshots[row] ?? null;
  }

  setSnapshot(row: number, snapshot: Snapshot): void {
    this.#snapshots[row] = snapshot;
  }

  /** Looks at so many rows, round and round: what is old of a tenant is not kept by keys nobody asks for. */
  letGo(rows: number, isOld: (snapshot: Snapshot) => boolean): void {
    const end = Math.min(this.#lookedAt + rows, this.#rows);
    for (let row = this.#lookedAt; row < end; row += 1) {
      const snapshot = this.#snapshots[row];
      if (snapshot && isOld(snapshot)) this.#snapshots[row] = null;
    }
    this.#lookedAt = end < this.#rows ? end : 0;
  }

  tenantIdOf(row: number): string {
    const start = row * rowBytes + tenantIdAt;
    const hex = this.#bytes.toString('hex', start, start + 16);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  saltOf(row: number): string {
    const start = row * rowBytes + saltAt;
    return this.#bytes.toString('latin1', start, start + saltLength);
  }

  hashOf(row: number): string {
    const start = row * rowBytes + hashAt;
    return this.#bytes.toString('hex', start, start + hashBytes);
  }

  opens(row: number, secret: string): boolean {
    return opensHash(secret, this.saltOf(row), this.#bytes, row * rowBytes + hashAt);
  }

  #isGone(row: number): boolean {
    return this.#bytes[row * rowBytes + isGoneAt] === 1;
  }

  /** Of one that was there before, its own again. */
  #rowFor(id: string): number {
    const known = this.#find(id);
    if (known >= 0) {
      if (this.#isGone(known)) this.#gone -= 1;
      this.#bytes[known * rowBytes + isGoneAt] = 0;
      return known;
    }
    if (this.#rows === this.room) this.#grow();
    const row = this.#rows;
    this.#bytes.write(id, row * rowBytes + idAt, idLength, 'latin1');
    this.#bytes[row * rowBytes + isGoneAt] = 0;
    this.#rows += 1;
    this.#enter(row, id);
    return row;
  }

  #find(id: string): number {
    const last = this.#slots.length - 1;
    for (let slot = hashOf(id) & last; ; slot = (slot + 1) & last) {
      const row = (this.#slots[slot] as number) - 1;
      if (row < 0 || this.#hasId(row, id)) return row;
    }
  }

  #hasId(row: number, id: string): boolean {
    const start = row * rowBytes + idAt;
    for (let at = 0; at < idLength; at += 1) {
      if (this.#bytes[start + at] !== id.charCodeAt(at)) return false;
    }
    return id.length === idLength;
  }

  #enter(row: number, id: string): void {
    const last = this.#slots.length - 1;
    let slot = hashOf(id) & last;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & last;
    this.#slots[slot] = row + 1;
  }

  /** Ids are never used twice: were those that are gone to stay, it would grow for ever. */
  #grow(): void {
    if (2 * this.#gone >= this.#rows) this.#leaveOutGone();
    else this.#makeRoom(2 * this.#rows);
  }

  #leaveOutGone(): void {
    let kept = 0;
    for (let row = 0; row < this.#rows; row += 1) {
      if (this.#isGone(row)) continue;
      this.#bytes.copyWithin(kept * rowBytes, row * rowBytes, (row + 1) * rowBytes);
      this.#snapshots[kept] = this.#snapshots[row] ?? null;
      kept += 1;
    }
    this.#snapshots.length = kept;
    this.#rows = kept;
    this.#gone = 0;
    this.#moves += 1;
    this.#slots.fill(0);
    this.#enterAll();
  }

  #makeRoom(rows: number): void {
    const memory = new ArrayBuffer(rows * rowBytes);
    const bytes = Buffer.from(memory);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#numbers = new Float64Array(memory);
    this.#slots = new Int32Array(rows * slotsPerRow);
    this.#enterAll();
  }

  #enterAll(): void {
    for (let row = 0; row < this.#rows; row += 1) this.#enter(row, this.idOf(row));
  }

  #scopesNumber(scopes: readonly string[]): number {
    const name = scopes.join(' ');
    const known = this.#scopesByName.get(name);
    if (known !== undefined) return known;
    this.#scopesByName.set(name, this.#scopes.length);
    return this.#scopes.push(scopes) - 1;
  }
}

function hashOf(id: string): number {
  let hash = 0;
  for (let at = 0; at < id.length; at += 1) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function requireLength(what: string, value: { readonly length: number }, length: number): void {
  if (value.length === length) return;
  throw new Error(
    `the ${what} of a key has ${value.length} characters or bytes instead of ${length}`,
  );
}
