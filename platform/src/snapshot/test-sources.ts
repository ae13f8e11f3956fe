import type { Limit } from 'sluice/core';
import type { CalledBy } from './overrides.ts';
import { select, type Rules } from './rules.ts';
import type { PlanSource, PolicySource, SharedSource, TenantSource } from './source.ts';

/** What tests of snapshots are made of. */

export const nowMs = Date.UTC(2030, 0, 15, 12);

export function limitsFor(
  rules: Rules,
  resource: string,
  call: Partial<CalledBy> = {},
): readonly Limit[] {
  return select(rules.resolve(resource), { subject: 'me', attributes: {}, ...call }).limits;
}

export const bucket = (name: string, more: object = {}) => ({
  name,
  algorithm: 'token_bucket',
  bucket_capacity: 10,
  refill_rate_per_sec: 1,
  ...more,
});
export const plan = (
  id: string,
  limits: readonly object[],
  more: Partial<PlanSource> = {},
): PlanSource => ({
  id,
  name: id,
  version: 1,
  limits,
  ...more,
});
export const policy = (resource: string, more: Partial<PolicySource> = {}): PolicySource => ({
  id: resource,
  version: 1,
  resource,
  cost: null,
  costs: {},
  max_cost: null,
  limits: [],
  mode: null,
  ...more,
});
export const tenant = (more: Partial<TenantSource> = {}): TenantSource => ({
  id: 't',
  name: 'acme',
  tier: 'free',
  status: 'active',
  timezone: 'UTC',
  billingAnchorDay: 1,
  planId: null,
  generation: 0,
  pool: null,
  place: null,
  epoch: { tenant: 1, shared: 1 },
  plans: [],
  policies: [],
  overrides: [],
  blocks: [],
  modes: [],
  quota: null,
  refunds: false,
  ...more,
});
export const shared = (more: Partial<SharedSource> = {}): SharedSource => ({
  epoch: 1,
  plans: [],
  policies: [],
  blocks: [],
  modes: [],
  pools: [],
  ...more,
});
export const names = (limits: readonly { readonly name: string }[]) =>
  limits.map(({ name }) => name);
