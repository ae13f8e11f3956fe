import { RecentMap, type Epoch } from 'sluice/core';
import { Compiler } from './compile.ts';
import type { KnownKey } from './known-key.ts';
import type { SourceReader } from './read-source.ts';
import { sameTenant } from './same.ts';
import { SingleFlight } from './single-flight.ts';
import type { Snapshot } from './snapshot.ts';
import type { SourceCache } from './source-cache.ts';
import type { SharedSource, TenantSource } from './source.ts';
import type { StoreTime } from './store-time.ts';

export type CacheWatch = (cache: 'snapshot' | 'key', outcome: 'hit' | 'miss') => void;

export type SnapshotsOptions = {
  readonly reader: SourceReader;
  readonly cache: SourceCache | null;
  readonly watch: CacheWatch;
  readonly tenantsMax: number;
  /** The store's clock, as far as we know it. */
  readonly time: Pick<StoreTime, 'nowMs'>;
};

/** The tenants' snapshots of this node: in process, else from the cache in Redis, else read anew. */
export class Snapshots {
  readonly #reader: SourceReader;
  readonly #cache: SourceCache | null;
  readonly #watch: CacheWatch;
  readonly #compiler = new Compiler();
  readonly #time: Pick<StoreTime, 'nowMs'>;
  readonly #snapshots: RecentMap<Snapshot>;
  readonly #loading = new SingleFlight<Snapshot | null>();
  readonly #reloading = new SingleFlight<Snapshot | null>();
  readonly #loadingShared = new SingleFlight<SharedSource>();
  #shared: SharedSource | null = null;

  constructor({ reader, cache, watch, tenantsMax, time }: SnapshotsOptions) {
    this.#reader = reader;
    this.#cache = cache;
    this.#watch = watch;
    this.#time = time;
    this.#snapshots = new RecentMap(tenantsMax / 2);
  }

  /** What this node knows right now. */
  known(tenantId: string): Snapshot | undefined {
    return this.#current(this.#find(tenantId));
  }

  /** The same of a key's tenant; at a glance where that is what was last seen through the key. */
  knownOf(key: Pick<KnownKey, 'tenantId' | 'snapshot'>): Snapshot | undefined {
    const { snapshot: seen } = key;
    return this.#current(this.#isKept(seen) ? seen : this.#find(key.tenantId));
  }

  #current(snapshot: Snapshot | undefined): Snapshot | undefined {
    this.#watch('snapshot', snapshot ? 'hit' : 'miss');
    if (!snapshot || !this.#shared) return snapshot;
    const isShort = snapshot.epoch.shared < this.#shared.epoch;
    if (!isShort && !this.#ranOut(snapshot)) return snapshot;
    // Nothing of the tenant's own is older than before: it needs no new look.
    return this.#keep(this.#compileNow(snapshot.tenant, this.#shared));
  }

  /** For a tenant that this node does not know yet. Null when there is none. */
  load(tenantId: string): Promise<Snapshot | null> {
    return this.#loading.join(tenantId, async () => {
      const cached = (await this.#cache?.tenant(tenantId)) ?? null;
      return cached ? this.#compile(cached) : this.#read(tenantId);
    });
  }

  /**
   * From the source of truth. Asked for by somebody who saw that what we know is old, so that a
   * load that began before does not do.
   */
  async reload(tenantId: string): Promise<Snapshot | null> {
    return this.#reloading.anew(tenantId, () => this.#read(tenantId));
  }

  /** What another node left in the cache, if that is newer. */
  async loadNewer(tenantId: string, { tenant, shared }: Epoch): Promise<Snapshot | null> {
    const cached = (await this.#cache?.tenant(tenantId)) ?? null;
    if (!cached || (cached.epoch.tenant <= tenant && cached.epoch.shared <= shared)) return null;
    return this.#compile(cached).catch(() => null);
  }

  /** Whether this is what is known of its tenant. */
  isOld({ keptIn }: Snapshot): boolean {
    return !this.#snapshots.shelves.some((shelf) => shelf === keptIn);
  }

  /** Forgets what is older than the epochs that the database names. */
  drop(tenantId: string, epoch: number): void {
    const snapshot = this.#snapshots.peek(tenantId);
    if (snapshot && snapshot.epoch.tenant < epoch) this.#forget(tenantId);
  }

  /** Brings every snapshot to the shared configuration of this epoch, each when it is next asked for. */
  async raiseShared(epoch: number): Promise<void> {
    if (this.#shared) await this.#sharedFrom(epoch);
  }

  async #read(tenantId: string): Promise<Snapshot | null> {
    const source = await this.#reader.tenant(tenantId);
    if (!source) {
      this.#forget(tenantId);
      this.#cache?.dropTenant(tenantId);
      return null;
    }
    this.#cache?.putTenant(source);
    return this.#compile(source);
  }

  async #compile(source: TenantSource): Promise<Snapshot> {
    const shared = await this.#sharedFrom(source.epoch.shared);
    return this.#keep(this.#compileNow(sameTenant(source), shared));
  }

  #compileNow(source: TenantSource, shared: SharedSource): Snapshot {
    return this.#compiler.compile(source, shared, this.#time.nowMs());
  }

  #ranOut({ validUntilUs }: Snapshot): boolean {
    return validUntilUs !== undefined && validUntilUs <= this.#time.nowMs() * 1000;
  }

  /** Loads may overtake each other: the newer one stays. */
  #keep(snapshot: Snapshot): Snapshot {
    const { id } = snapshot;
    const known = this.#snapshots.peek(id);
    if (known && isNewer(known.epoch, snapshot.epoch)) return known;
    if (known) known.keptIn = null;
    this.#snapshots.set(id, snapshot);
    snapshot.keptIn = this.#snapshots.young;
    return snapshot;
  }

  #isKept(snapshot: Snapshot | null): snapshot is Snapshot {
    return snapshot !== null && snapshot.keptIn === this.#snapshots.young;
  }

  #find(tenantId: string): Snapshot | undefined {
    const snapshot = this.#snapshots.get(tenantId);
    if (snapshot) snapshot.keptIn = this.#snapshots.young;
    return snapshot;
  }

  #forget(tenantId: string): void {
    const snapshot = this.#snapshots.peek(tenantId);
    if (snapshot) snapshot.keptIn = null;
    this.#snapshots.delete(tenantId);
  }

  /** What is shared, at least as new as this. */
  async #sharedFrom(epoch: number): Promise<SharedSource> {
    if (this.#shared && this.#shared.epoch >= epoch) return this.#shared;
    const read = await this.#loadingShared.join(`${epoch}`, () => this.#reader.shared());
    if (!this.#shared || this.#shared.epoch < read.epoch) this.#shared = read;
    return this.#shared;
  }
}

function isNewer(a: Epoch, b: Epoch): boolean {
  return a.tenant > b.tenant || (a.tenant === b.tenant && a.shared > b.shared);
}
