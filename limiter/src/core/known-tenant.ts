import type { TenantRef } from './engine.ts';

/** How a tenant stands at a gate. */
export class Standing {
  /** Whose it is, of what is kept with a tenant: null until one takes it. */
  gate: object | null = null;
  inFlight = 0;
  isQueued = false;
  /** Null until somebody had to. */
  waiting: ((standing: Standing) => void)[] | null = null;
}

/** What others keep with a tenant, to find it at a glance. */
export class TenantNotes extends Standing {
  /** What an engine calls the tenant, and which: another one has other names. */
  name = '';
  namedBy: object | null = null;
  /** In which round it was last noted that something was counted for it. */
  activeIn: object | null = null;
}

/**
 * A tenant that is asked for by this very object again and again. It is its own notes: of a hundred
 * thousand tenants none is in any cache, and what stands together is fetched together.
 */
export class KnownTenant extends TenantNotes implements TenantRef {
  readonly id: string;
  readonly generation: number;
  readonly place: string | undefined;
  readonly pool: string | undefined;

  constructor({ id, generation = 0, place, pool }: Omit<TenantRef, 'notes'>) {
    super();
    this.id = id;
    this.generation = generation;
    this.place = place;
    this.pool = pool;
  }

  get notes(): TenantNotes {
    return this;
  }
}
