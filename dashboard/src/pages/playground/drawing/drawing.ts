import type { Algorithm, LimitOf } from '../algorithms.ts';
import type { OpenCall } from '../burst/answer.ts';
import type { Charge } from './state.ts';

/** What every drawing is made from. */
export type DrawingProps<A extends Algorithm> = {
  readonly limit: LimitOf<A>;
  readonly charges: readonly Charge[];
  readonly openCalls: readonly OpenCall[];
  /** Of the last answer, in milliseconds: when all is back. */
  readonly resetAtMs: number | null;
  /** By the service's clock. */
  readonly nowMs: number;
};
