import { RecentMap, type Epoch } from 'sluice/core';
import type { TenantSource } from './source.ts';

const texts = new RecentMap<string>(5000);
const epochs = new RecentMap<Epoch>(1000);
const noneOf: readonly never[] = Object.freeze([]);

/** Of texts that many say: one that reads the same, and is not kept once more. */
export function sameText(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, text);
  return text;
}

/** Most tenants changed as often as many others did. */
export function sameEpoch({ tenant, shared }: Epoch): Epoch {
  const text = `${tenant}.${shared}`;
  const known = epochs.get(text);
  if (known) return known;
  const epoch = { tenant, shared };
  epochs.set(text, epoch);
  return epoch;
}

/**
 * What is said of one tenant and of ten thousand others is kept once: they have little of their own.
 * Field by field, which makes it one object: spread into another, most would stand in a list beside it.
 */
export function sameTenant(tenant: TenantSource): TenantSource {
  return {
    id: tenant.id,
    name: tenant.name,
    tier: sameText(tenant.tier),
    status: tenant.status === 'suspended' ? 'suspended' : 'active',
    timezone: sameText(tenant.timezone),
    billingAnchorDay: tenant.billingAnchorDay,
    planId: tenant.planId === null ? null : sameText(tenant.planId),
    generation: tenant.generation,
    pool: tenant.pool,
    place: tenant.place,
    epoch: sameEpoch(tenant.epoch),
    plans: sameList(tenant.plans),
    policies: sameList(tenant.policies),
    overrides: sameList(tenant.overrides),
    blocks: sameList(tenant.blocks),
    modes: sameList(tenant.modes),
    quota: tenant.quota,
    refunds: tenant.refunds,
  };
}

function sameList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? noneOf : list;
}
