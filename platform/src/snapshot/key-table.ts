import { hashBytes, idLength, opensHash, saltLength } from '../control/credentials/credential.ts';
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
  /** By row: of its tenant, as last seen. */
  readonly #snapshots: (Snapshot | null)[] = [];
  /** Nearly all keys have one of few sets of scopes, which are kept once. */
  readonly #scopes: (readonly string[])[] = [];
  readonly #scopesByName = new Map<string, number>();

  constructor() {
    this.#makeRoom(rowsFirst);
  }

  get size(): number {
    return this.#rows - this.#gone;
  }

  get(id: string): KnownKey | undefined {
    const row = this.#find(id);
    return row < 0 || this.#isGone(row) ? undefined : new KnownKey(this, row);
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
    const row = this.#find(id);
    if (row < 0 || this.#isGone(row)) return;
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
    if (this.#rows * rowBytes === this.#bytes.length) this.#makeRoom(2 * this.#rows);
    const row = this.#rows;
    this.#bytes.write(id, row * rowBytes + idAt, idLength, 'latin1');
    this.#rows += 1;
    this.#enter(row, id);
    return row;
  }

  #find(id: string): number {
    const last = this.#slots.length - 1;
    for (let slot = hashOf(id) & last; ; slot = (slot + 1) & last) {
      const row = (this.#slots[slot] as number) - 1;
      if (row < 0) return row;
      // Before the row itself, which has to be waited for: both come at once.
      const reached = this.#snapshots[row]?.reach() ?? 0;
      if (reached >= 0 && this.#hasId(row, id)) return row;
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

  #makeRoom(rows: number): void {
    const memory = new ArrayBuffer(rows * rowBytes);
    const bytes = Buffer.from(memory);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#numbers = new Float64Array(memory);
    this.#slots = new Int32Array(rows * slotsPerRow);
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

/** A key that this node knows, as it was when it was asked for. */
export class KnownKey implements KeySource {
  readonly id: string;
  readonly epoch: number;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
  readonly #table: KeyTable;
  readonly #row: number;

  constructor(table: KeyTable, row: number) {
    this.#table = table;
    this.#row = row;
    // Not what was asked for: that may be a part of a text with a secret, which it would keep in memory.
    this.id = table.idOf(row);
    this.epoch = table.epochOf(row);
    this.scopes = table.scopesOf(row);
    this.expiresAtMs = table.expiresAtMsOf(row);
    this.revoked = table.isRevoked(row);
  }

  get tenantId(): string {
    return this.snapshot?.id ?? this.#table.tenantIdOf(this.#row);
  }

  get salt(): string {
    return this.#table.saltOf(this.#row);
  }

  get hash(): string {
    return this.#table.hashOf(this.#row);
  }

  opens(secret: string): boolean {
    return this.#table.opens(this.#row, secret);
  }

  /** Its tenant's, as last seen: `Snapshots` say whether it still is. */
  get snapshot(): Snapshot | null {
    return this.#table.snapshotOf(this.#row);
  }

  seen(snapshot: Snapshot): void {
    if (this.snapshot !== snapshot) this.#table.setSnapshot(this.#row, snapshot);
  }

  /** In which round it was last noted that somebody used it. */
  get usedIn(): number {
    return this.#table.usedIn(this.#row);
  }

  set usedIn(round: number) {
    this.#table.setUsedIn(this.#row, round);
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
