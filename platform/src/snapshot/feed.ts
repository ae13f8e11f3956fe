import { sql, type Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { SingleFlight } from './single-flight.ts';

export type FeedNews = {
  /** What was committed before this is told. By the clock that only goes forward. */
  readonly askedAtMs: number;
  readonly sharedEpoch: number;
  readonly tenants: readonly { readonly id: string; readonly epoch: number }[];
};

/**
 * What changed in the database since the last look. Independent of the store: a node whose Redis is
 * gone or tells old news still hears of every change within an interval.
 */
export class Feed {
  readonly #db: Kysely<Tables>;
  readonly #tell: (news: FeedNews) => Promise<void>;
  readonly #polling = new SingleFlight<void>();
  /** Every transaction below this one was over, and seen, at the last look. */
  #seenUpTo: string | null = null;
  #isHeard = true;

  constructor(db: Kysely<Tables>, tell: (news: FeedNews) => Promise<void>) {
    this.#db = db;
    this.#tell = tell;
  }

  /** Looks now: what was committed before the call is told before it returns. */
  poll(): Promise<void> {
    return this.#polling.anew('poll', () => this.#poll());
  }

  /** Whether the database answered when it was last asked. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  async #poll(): Promise<void> {
    try {
      await this.#look();
      this.#isHeard = true;
    } catch (error) {
      this.#isHeard = false;
      throw error;
    }
  }

  async #look(): Promise<void> {
    const askedAtMs = performance.now();
    const { rows } = await sql<FeedRow>`
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS seen_up_to,
        (SELECT epoch FROM shared_epoch) AS shared_epoch,
        (SELECT coalesce(json_agg(json_build_object('id', tenant_id, 'epoch', epoch)), '[]')
          FROM tenant_epochs WHERE changed_in >= ${this.#seenUpTo}::xid8) AS tenants`.execute(
      this.#db,
    );
    const row = rows[0] as FeedRow;
    await this.#tell({ askedAtMs, sharedEpoch: row.shared_epoch, tenants: row.tenants });
    this.#seenUpTo = row.seen_up_to;
  }
}

type FeedRow = {
  readonly seen_up_to: string;
  readonly shared_epoch: number;
  readonly tenants: FeedNews['tenants'];
};
