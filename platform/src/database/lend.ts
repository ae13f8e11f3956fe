import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { isUnavailable } from './unavailable.ts';

export type LendOptions = {
  /** Instead of the pool's own. */
  readonly queryTimeoutMs?: number;
  /** Run on a connection before it is lent; it is thrown away afterwards. */
  readonly prepare?: string;
};

/**
 * The pool as Kysely borrows from it. Kysely gives every connection back as a good one; one that
 * waits for an answer that will not come would then make all who get it wait as well.
 */
export function lendFrom(pool: pg.Pool, options: LendOptions = {}): PostgresPool {
  return {
    connect: async () => {
      const lent = new LentClient(await pool.connect(), options);
      await lent.prepare();
      return lent;
    },
    end: () => pool.end(),
  };
}

class LentClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #options: LendOptions;
  #failure: Error | undefined;

  constructor(client: pg.PoolClient, options: LendOptions) {
    this.#client = client;
    this.#options = options;
  }

  async prepare(): Promise<void> {
    const { prepare } = this.#options;
    if (prepare === undefined) return;
    try {
      await this.#client.query(prepare);
    } catch (error) {
      this.#client.release(true);
      throw error;
    }
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    text: string | PostgresCursor<Row>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof text !== 'string') throw new Error('rows are not streamed');
    return this.#query<Row>(text, values);
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (this.#failure) throw this.#failure;
    const { queryTimeoutMs } = this.#options;
    const query = {
      text,
      values: [...values],
      ...(queryTimeoutMs !== undefined && { query_timeout: queryTimeoutMs }),
    };
    try {
      return (await this.#client.query(query)) as unknown as PostgresQueryResult<Row>;
    } catch (error) {
      // What the server itself says came over a connection that works, or that it has closed.
      if (isUnavailable(error) && !(error instanceof pg.DatabaseError)) {
        this.#failure = error as Error;
      }
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#failure ?? this.#options.prepare !== undefined);
  }
}
