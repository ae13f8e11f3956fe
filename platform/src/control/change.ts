import type { Kysely, Transaction } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Tables } from '../database/tables.ts';
import type { Actor } from './actor.ts';
import type { AuditAction } from './audit/audit.ts';
import { type NameHash, namelessNote } from './audit/nameless.ts';
import { raiseEpoch, raiseSharedEpoch, startEpoch, type TenantEpoch } from './epochs/epochs.ts';
import type { Publisher } from './epochs/publisher.ts';

export type Changed<T> = {
  readonly value: T;
  /** Every node acts on it from its next check on. */
  readonly published: boolean;
  /** How the news of a shared change comes along; null for a change of one tenant. */
  readonly publication: {
    readonly epoch: number;
    readonly total: number | null;
    readonly done: number;
  } | null;
};

export type Touched = {
  readonly tenantIds: readonly string[];
  readonly keyIds: readonly string[];
};

export type AuditNote = {
  /** A notice changes nothing: it says that something happened. */
  readonly action: AuditAction;
  readonly noun: string;
  readonly objectId: string;
  readonly tenantId: string | null;
  readonly before?: unknown;
  readonly after?: unknown;
};

/** One change of the configuration: what it writes, who is told of it, and what the audit says. */
export class Change {
  readonly tx: Transaction<Tables>;
  readonly #actor: Actor;
  readonly #hashName: NameHash;
  readonly #epochs = new Map<string, TenantEpoch>();
  readonly #left: TenantEpoch[] = [];
  readonly #keyIds: string[] = [];
  #sharedEpoch: number | null = null;

  constructor(tx: Transaction<Tables>, actor: Actor, hashName: NameHash = nobodyNamed) {
    this.tx = tx;
    this.#actor = actor;
    this.#hashName = hashName;
  }

  /** What nodes may remember, and should no longer. */
  get touched(): Touched {
    const left = this.#left.map(({ tenantId }) => tenantId);
    return { tenantIds: [...this.#epochs.keys(), ...left], keyIds: this.#keyIds };
  }

  /** What stores are told of. */
  get epochs(): readonly TenantEpoch[] {
    return [...this.#epochs.values(), ...this.#left];
  }

  /** Whether somebody is counted elsewhere from now on. */
  get moves(): boolean {
    return this.#left.length > 0;
  }

  /** Null unless what is shared was changed. */
  get sharedEpoch(): number | null {
    return this.#sharedEpoch;
  }

  async startTenant(tenantId: string): Promise<void> {
    this.#epochs.set(tenantId, await startEpoch(this.tx, tenantId));
  }

  /**
   * Before anything of the tenant is read or written: it also keeps other changes of the tenant out
   * until this one is done.
   */
  async touchTenant(tenantId: string, options?: { readonly deleted: boolean }): Promise<void> {
    this.#epochs.set(tenantId, await raiseEpoch(this.tx, tenantId, options));
  }

  /** A tenant that was just made is counted there. */
  place(tenantId: string, place: string): void {
    const epoch = this.#epochs.get(tenantId);
    if (epoch) this.#epochs.set(tenantId, { ...epoch, place });
  }

  /**
   * The tenant is counted elsewhere from this epoch on. Where it was, that is told at once: who still
   * asks there is sent on, and what it used there stands. Where it goes nobody is told yet.
   */
  leave(left: TenantEpoch): void {
    this.#epochs.delete(left.tenantId);
    this.#left.push(left);
  }

  /** What belongs to no tenant concerns all of them. */
  async touch(tenantId: string | null, cause: string): Promise<void> {
    if (tenantId !== null) return this.touchTenant(tenantId);
    this.#sharedEpoch = await raiseSharedEpoch(this.tx, cause);
  }

  note(note: AuditNote): Promise<void> {
    return this.noteAll([note]);
  }

  /** In one statement, for what changes many objects at once. */
  async noteAll(notes: readonly AuditNote[]): Promise<void> {
    if (notes.length === 0) return;
    this.#keyIds.push(...notes.filter(({ noun }) => noun === 'keys').map((note) => note.objectId));
    await this.tx
      .insertInto('audit_entries')
      .values(notes.map((note) => this.#entryOf(note)))
      .execute();
  }

  #entryOf(note: AuditNote) {
    const { action, noun, objectId, tenantId, before, after } = namelessNote(note, this.#hashName);
    return {
      id: uuidv7(),
      actor: this.#actor.id,
      action,
      noun,
      object_id: objectId,
      tenant_id: tenantId,
      request_id: this.#actor.requestId,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    };
  }
}

/** Of a change that is about nobody. */
function nobodyNamed(): never {
  throw new Error('a note that names somebody needs a hash');
}

/** Makes changes: in a transaction with their audit, and published before they are answered. */
export class Changes {
  readonly #db: Kysely<Tables>;
  readonly #publisher: Publisher;
  readonly #hashName: NameHash;
  readonly #onShared: () => void;
  readonly #onTouched: (touched: Touched) => Promise<void>;
  readonly #onMoved: () => void;

  constructor({
    db,
    publisher,
    hashName,
    onShared,
    onTouched = async () => {},
    onMoved = () => {},
  }: {
    readonly db: Kysely<Tables>;
    readonly publisher: Publisher;
    /** For who is named in the audit. */
    readonly hashName: NameHash;
    /** A publication is waiting: no need to wait for the next look. */
    readonly onShared: () => void;
    /**
     * After it was published, for who keeps copies, and before it is answered: when the database goes
     * away a moment later, copies are all that says what was changed.
     */
    readonly onTouched?: (touched: Touched) => Promise<void>;
    /** What tenants used is to be brought along to where they are counted now. */
    readonly onMoved?: () => void;
  }) {
    this.#db = db;
    this.#publisher = publisher;
    this.#hashName = hashName;
    this.#onShared = onShared;
    this.#onTouched = onTouched;
    this.#onMoved = onMoved;
  }

  async make<T>(actor: Actor, work: (change: Change) => Promise<T>): Promise<Changed<T>> {
    const { value, change } = await this.#db.transaction().execute(async (tx) => {
      const made = new Change(tx, actor, this.#hashName);
      return { value: await work(made), change: made };
    });
    const published = await this.#publisher.publish(change.epochs);
    await this.#onTouched(change.touched);
    if (change.moves) this.#onMoved();
    const { sharedEpoch } = change;
    if (sharedEpoch === null) return { value, published, publication: null };
    this.#onShared();
    return { value, published: false, publication: { epoch: sharedEpoch, total: null, done: 0 } };
  }
}
