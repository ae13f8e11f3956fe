import type { Mode } from '../core/limit.ts';
import type { CanonicalLimit, WireLimit, WireMode } from './wire-limit.ts';

/** A plan in full, or in short with its one limit inline. */
export type WirePlanInput = {
  /** Null or absent: shared by all tenants. */
  readonly tenant_id?: string | null;
  readonly name: string;
} & ({ readonly limits: readonly WireLimit[] } | Omit<WireLimit, 'name'>);

/** As it is stored and shown. */
export type WirePlan = {
  readonly tenant_id: string | null;
  readonly name: string;
  readonly limits: readonly CanonicalLimit[];
};

export type WirePolicyInput = {
  /** Null or absent: for all tenants. */
  readonly tenant_id?: string | null;
  /** A pattern. */
  readonly resource: string;
  readonly cost?: number | null;
  readonly costs?: Readonly<Record<string, number>>;
  readonly max_cost?: number | null;
  readonly limits?: readonly WireLimit[];
  readonly mode?: WireMode | null;
};

/** As it is stored and shown. */
export type WirePolicy = {
  readonly tenant_id: string | null;
  readonly resource: string;
  readonly cost: number | null;
  readonly costs: Readonly<Record<string, number>>;
  readonly max_cost: number | null;
  readonly limits: readonly CanonicalLimit[];
  readonly mode: Mode | null;
};
