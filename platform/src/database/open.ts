import { Kysely, type LogEvent, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { EmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { lendFrom } from './lend.ts';
import type { Tables } from './tables.ts';
import { valueTypes } from './values.ts';

/** A real PostgreSQL by its URL, or one in this process that keeps its files in a folder. */
export type DatabaseOptions = (
  | { readonly url: string; readonly poolSize?: number; readonly statementTimeoutMs?: number }
  | { readonly folder: string }
) & {
  /** Hears of connections that were lost while nobody used them. */
  readonly onLost?: (error: Error) => void;
  /** Hears of each query when it is done, in the context of who asked. */
  readonly onQuery?: (event: LogEvent) => void;
};

export type Database = {
  readonly db: Kysely<Tables>;
  readonly pool: pg.Pool;
  readonly embedded: boolean;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  /** Waits for what is running, then writes out and gives back what it holds. */
  close(): Promise<void>;
};

const poolSizeDefault = 10;
const connectTimeoutMs = 2_000;
// The embedded one has one connection: all others wait for it in turn.
const embeddedConnectTimeoutMs = 5_000;
const statementTimeoutMsDefault = 5_000;
// The server's word on it comes first; the client's is for one that says nothing any more.
const queryGraceMs = 500;
const idleInTransactionTimeoutMs = 10_000;
const keepAliveDelayMs = 10_000;

/** A real one is not connected to before the first query, so that a node starts without it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return 'url' in options ? openReal(options) : openEmbedded(options);
}

function openReal(options: Extract<DatabaseOptions, { url: string }>): Database {
  assertUrl(options.url);
  const statementTimeoutMs = options.statementTimeoutMs ?? statementTimeoutMsDefault;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: 'sluice',
    // Days and months are cut in UTC, whatever the server's own time zone.
    options: '-c timezone=UTC',
    max: options.poolSize ?? poolSizeDefault,
    types: valueTypes,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + queryGraceMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  });
  return assemble({ pool, options, release: async () => {} });
}

async function openEmbedded(
  options: Extract<DatabaseOptions, { folder: string }>,
): Promise<Database> {
  const server = await EmbeddedPostgres.open(options.folder);
  const pool = new pg.Pool({
    stream: () => server.openSocket(),
    // Named, so that none of them is taken from the environment.
    host: 'embedded',
    port: 0,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    max: 1,
    types: valueTypes,
    connectionTimeoutMillis: embeddedConnectTimeoutMs,
    query_timeout: statementTimeoutMsDefault + queryGraceMs,
    idleTimeoutMillis: 0,
  });
  return assemble({ pool, options, release: () => server.close() });
}

type Parts = {
  readonly pool: pg.Pool;
  readonly options: DatabaseOptions;
  readonly release: () => Promise<void>;
};

function assemble({ pool, options, release }: Parts): Database {
  // An error event that nobody listens to ends the process. One that is lent out when its
  // connection breaks reports to its borrower, by the query that fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => options.onLost?.(error));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: lendFrom(pool) }),
    ...(options.onQuery && { log: options.onQuery }),
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await pool.end();
    await release();
  };
  return {
    db,
    pool,
    embedded: 'folder' in options,
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => (closing ??= close()),
  };
}

/** The driver's own message on a bad URL would carry the password in it. */
function assertUrl(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === 'postgres:' || protocol === 'postgresql:') return;
  throw new Error('url must be a PostgreSQL URL such as postgres://user@host:5432/database');
}
