import type { Basis, Reason } from '../core/decision.ts';
import type { Level } from '../core/level.ts';
import type { AlgorithmName } from '../core/algorithms/index.ts';
import type { Mode } from '../core/limit.ts';

/** The answer to a check, as JSON. Every field is always there. */
export type WireDecision = {
  readonly allowed: boolean;
  /** Of the limit shown, as `remaining`, `reset_at` and `mode`; null when none applies. */
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Unix seconds. */
  readonly reset_at: number | null;
  /** Whole, rounded up; 0 when allowed, null when waiting never helps. */
  readonly retry_after_ms: number | null;
  readonly message: string;
  readonly decision_id: string;
  readonly basis: Basis;
  readonly degraded_reason: string | null;
  readonly mode: Mode | null;
  readonly delay_ms: number;
  readonly replayed: boolean;
  readonly cost: number;
  readonly costs: Readonly<Record<string, number>>;
  readonly blocked_by: WireBlockedBy | null;
  readonly would_block: readonly string[];
  readonly adaptive: { readonly factor: number; readonly reason: string | null };
  readonly ticket: string | null;
  /** `expires_at` in Unix seconds. */
  readonly reservation: { readonly id: string; readonly expires_at: number } | null;
  readonly limits: readonly WireLimitDecision[];
};

export type WireBlockedBy = {
  readonly limit: string | null;
  readonly per: readonly string[];
  readonly level: Level;
  readonly entity: string | null;
  readonly reason: Reason;
};

export type WireLimitDecision = {
  readonly name: string;
  readonly algorithm: AlgorithmName;
  readonly unit: string;
  readonly cost: number;
  readonly limit: number;
  readonly base_limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly override_id: string | null;
  readonly reset_at: number;
  readonly retry_after_ms: number | null;
  readonly allowed: boolean;
  readonly mode: Mode;
};
