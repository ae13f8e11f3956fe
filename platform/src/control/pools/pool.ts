import type { Selectable } from 'kysely';
import type { PoolsTable } from '../../database/tables.ts';
import { isoOf } from '../rows.ts';

/** What may be told of a pool: not the password in its address. */
export type Pool = {
  readonly id: string;
  readonly name: string;
  /** Null: the Redis that all share. */
  readonly redis_url: string | null;
  /** To its Redis, of each node, at the most. */
  readonly connections: number;
  /** Calls of one tenant that a node has under way at once, at the most. */
  readonly max_in_flight: number;
  /** Whose tenants are in it unless they say otherwise. */
  readonly tiers: readonly string[];
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type PoolPatch = {
  readonly redis_url?: string | null;
  readonly connections?: number;
  readonly max_in_flight?: number | null;
  readonly tiers?: readonly string[];
};

export type NewPool = PoolPatch & { readonly name: string };

/** Of tenants whose tier is no pool's. Always there, and always on the Redis that all share. */
export const defaultPool = 'default';

export const connectionsDefault = 10;
export const connectionsMax = 500;
export const inFlightMax = 100_000;
export const tiersMax = 50;
export const redisUrlLengthMax = 4096;

/** What a node must know of a pool to use it. */
export type PoolSetup = {
  readonly id: string;
  readonly name: string;
  /** With its password. */
  readonly redisUrl: string | null;
  readonly connections: number;
  readonly maxInFlight: number;
};

/** Reads addresses; what is wrong with one is thrown, without quoting it. */
export type RedisAddresses = {
  /** For people to read. */
  shown(url: string): string;
  /** Which servers it leads to, whoever logs in there and how. */
  servers(url: string): string;
};

/** Closes texts, so that who sees the table sees no password. */
export type Seal = { close(text: string): string; open(sealed: string): string };

export type PoolRow = Selectable<PoolsTable>;

export function poolOf(row: PoolRow, shownUrl: string | null): Pool {
  return {
    id: row.id,
    name: row.name,
    redis_url: shownUrl,
    connections: row.connections,
    max_in_flight: row.max_in_flight ?? row.connections,
    tiers: row.tiers,
    version: row.version,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}
