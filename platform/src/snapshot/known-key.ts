import type { KeyTable } from './key-table.ts';
import type { Snapshot } from './snapshot.ts';
import type { KeySource } from './source.ts';

/** A key that this node knows, as it was when it was asked for. */
export class KnownKey implements KeySource {
  readonly id: string;
  readonly epoch: number;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
  readonly #table: KeyTable;
  #row: number;
  #moves: number;

  constructor(table: KeyTable, row: number) {
    this.#table = table;
    this.#row = row;
    this.#moves = table.moves;
    // Not what was asked for: that may be a part of a text with a secret, which it would keep in memory.
    this.id = table.idOf(row);
    this.epoch = table.epochOf(row);
    this.scopes = table.scopesOf(row);
    this.expiresAtMs = table.expiresAtMsOf(row);
    this.revoked = table.isRevoked(row);
  }

  get tenantId(): string {
    return this.snapshot?.id ?? this.#table.tenantIdOf(this.#place());
  }

  get salt(): string {
    return this.#table.saltOf(this.#place());
  }

  get hash(): string {
    return this.#table.hashOf(this.#place());
  }

  opens(secret: string): boolean {
    const row = this.#place();
    return row >= 0 && this.#table.opens(row, secret);
  }

  /** Its tenant's, as last seen: `Snapshots` say whether it still is. */
  get snapshot(): Snapshot | null {
    return this.#table.snapshotOf(this.#place());
  }

  seen(snapshot: Snapshot): void {
    const row = this.#place();
    if (row >= 0 && this.snapshot !== snapshot) this.#table.setSnapshot(row, snapshot);
  }

  /** In which round it was last noted that somebody used it. */
  get usedIn(): number {
    const row = this.#place();
    return row < 0 ? 0 : this.#table.usedIn(row);
  }

  set usedIn(round: number) {
    const row = this.#place();
    if (row >= 0) this.#table.setUsedIn(row, round);
  }

  /** Its row; less than 0 where it is gone and others have moved. */
  #place(): number {
    if (this.#moves !== this.#table.moves) {
      this.#row = this.#table.rowOf(this.id);
      this.#moves = this.#table.moves;
    }
    return this.#row;
  }
}
