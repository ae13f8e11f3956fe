import type { Engine, QuotaSeed, TenantRef } from 'sluice/core';
import type { Board } from './board.ts';

/** What the service counts in. */
export type Store = {
  readonly kind: 'memory' | 'redis';
  readonly engine: Engine;
  /** What the doors ask: calls of one turn travel together where that helps. */
  readonly decider: Pick<Engine, 'decide'>;
  /** The same counters for who has less time, with a guard of its own. */
  within(deadlineMs: number): Pick<Store, 'engine' | 'decider'>;
  /** Where nodes keep what they know for each other; null where there is but one node. */
  readonly shelf: Shelf | null;
  readonly board: Board;
  /** Whether it takes commands right now. */
  isThere(): boolean;
  /**
   * Called when a server of it was lost, and when one is there again: what it says then may be older
   * than what was said before.
   */
  onLost(listener: () => void): void;
  /** Codes of what makes it unsafe to count in, as long as it was found so. */
  findings(): readonly string[];
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** Several, of which each tenant is counted in one. `place` names one besides that which all share. */
export type PlacedStore = Omit<Store, 'isThere' | 'onLost'> & {
  isThere(place?: string): boolean;
  onLost(listener: (place: string | undefined) => void): void;
  /** What is used of these quotas there, for another place to go on from. */
  readQuotas(tenant: TenantRef, saved: readonly QuotaSeed[]): Promise<readonly QuotaSeed[]>;
  /** What pools there are may have changed. */
  refreshPools(): Promise<void>;
};

export type Shelf = {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, mode: 'PX', ttlMs: number): Promise<unknown>;
  /** Which life of the server this is: another after every restart. Null while unknown. */
  life(): string | null;
};
