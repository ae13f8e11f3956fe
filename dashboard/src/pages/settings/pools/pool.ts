import type { Stored } from '../../../api/objects.ts';

export type Pool = Stored & {
  readonly name: string;
  /** Not for showing: only whether there is one. */
  readonly redis_url: string | null;
  readonly connections: number;
  readonly max_in_flight: number;
  readonly tiers: readonly string[];
};
