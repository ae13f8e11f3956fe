import type { CheckEvent, Outcome } from '../../observe/index.ts';

/** A check that gets a receipt, as it waits to be written. */
export type KeptCheck = {
  readonly event: CheckEvent;
  readonly outcome: Outcome;
  readonly atMs: number;
  /** What it takes while it waits, about. */
  readonly size: number;
  /** How many more of its kind came in the same second. */
  repeats: number;
  /** When the last of them did. */
  lastAtMs: number;
};
