import type { WireDecision } from 'sluice/contract';

/** What came back for one call of a burst. */
export type Answer = {
  /** Counts on from burst to burst. */
  readonly number: number;
  readonly burst: number;
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number;
  readonly decision: WireDecision;
  readonly headers: readonly (readonly [name: string, value: string])[];
};

/** The fields that tell a client how to behave, in the order of the contract. */
export const shownHeaders = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-warning',
];

/** A concurrency slot that a call of ours has. */
export type OpenCall = {
  readonly ticket: string;
  readonly sinceMs: number;
  readonly untilMs: number;
};
