/** What is sent. */
export type BurstSettings = {
  readonly size: number;
  /** Calls a second; 0 is as fast as they go. */
  readonly perSecond: number;
  readonly cost: number;
  /** How many are under way at once. */
  readonly atOnce: number;
  /** How long a call that was let in takes; of concurrency limits only. */
  readonly holdMs: number;
};

export const defaultSettings: BurstSettings = {
  size: 20,
  perSecond: 0,
  cost: 1,
  atOnce: 6,
  holdMs: 800,
};
