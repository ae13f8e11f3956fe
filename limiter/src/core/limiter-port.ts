import type { Check } from './check.ts';
import type { Decision } from './decision.ts';
import type { Settled } from './engine.ts';
import type { LimitInput } from './limit-input.ts';

/**
 * What a decision says, wherever it was made: in process, on Redis or by the service. A `Decision`
 * is one; so is the service's answer.
 */
export type DecisionView = Readonly<
  Pick<
    Decision,
    | 'allowed'
    | 'limit'
    | 'remaining'
    | 'resetAt'
    | 'retryAfterMs'
    | 'message'
    | 'decisionId'
    | 'basis'
    | 'degradedReason'
    | 'mode'
    | 'delayMs'
    | 'replayed'
    | 'cost'
    | 'costs'
    | 'blockedBy'
    | 'wouldBlock'
    | 'adaptive'
    | 'ticket'
    | 'reservation'
    | 'limits'
  >
>;

/** What a call really cost. */
export type RealCost = {
  readonly cost?: number;
  readonly costs?: Readonly<Record<string, number>>;
  readonly tenant?: string;
};

export type RefundOptions = {
  /** How long a second refund is told from the first: short, where nobody would send it again. */
  readonly rememberMs?: number;
};

/** What is held for another while: an open call, or a reservation. */
export type Held = ({ readonly ticket: string } | { readonly reservationId: string }) & {
  readonly ttlMs?: number;
  readonly tenant?: string;
};

export type SettleView = Omit<Settled, 'quotas'> | { readonly kind: 'unknown' };

/** A check may choose a plan, where whoever is asked knows plans: the service does. */
export type PortCheck = Check & { readonly plan?: string };

/**
 * What middleware asks, whoever answers: a limiter in process or on Redis, or the service. A refusal
 * and a failed store are decisions; only what the caller did wrong throws. All but `check` throw
 * `StoreFailure` when they could not be done, and may be said again.
 */
export type LimiterPort = {
  check(check: PortCheck): Promise<DecisionView>;
  /** The same without waiting, where there is nothing to wait for. */
  checkSync?(check: PortCheck): DecisionView;
  settle(reservationId: string, real: RealCost): Promise<SettleView>;
  refund(
    decision: DecisionView,
    part?: Omit<RealCost, 'tenant'>,
    options?: RefundOptions,
  ): Promise<boolean>;
  release(ticket: string, options?: { readonly tenant?: string }): Promise<boolean>;
  heartbeat(held: Held): Promise<boolean>;
  /** The same store under further limits, or under these alone; a name that is taken is replaced. */
  with?(limits: readonly LimitInput[], options?: { readonly alone?: boolean }): LimiterPort;
  /** How soon the first of its silent tickets is stale; null where it gives out none. */
  readonly staleAfterMs?: number | null;
};
