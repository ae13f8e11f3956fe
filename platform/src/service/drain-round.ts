import type { TenantRef } from 'sluice/core';
import type { Drainer, Undrained } from '../control/usage/drainer.ts';
import type { Recorder } from '../decide/index.ts';
import type { Pace } from './pace.ts';

export type DrainRoundParts = {
  readonly recorder: Pick<Recorder, 'flush' | 'takeActive' | 'keepActive'>;
  readonly drainer: Pick<Drainer, 'drainAll'>;
  readonly pace: Pick<Pace, 'rest' | 'isOver'>;
};

/** A store or a database that is slow is felt by so many at once. */
const tenantsAtOnce = 100;

/**
 * Moves the ledgers of all who called since the last time, many in one transaction and a little at a
 * time: however many they are, checks do not feel it. Who can't be moved now keeps nobody waiting and
 * gets another turn.
 */
export async function drainRound({ recorder, drainer, pace }: DrainRoundParts): Promise<void> {
  await recorder.flush();
  const failures: unknown[] = [];
  const drain = async (tenants: readonly TenantRef[]): Promise<readonly Undrained[]> => {
    try {
      return await drainer.drainAll(tenants);
    } catch (error) {
      return tenants.map((tenant) => ({ tenant, error }));
    }
  };
  for (const waiting of byPlace(recorder.takeActive())) {
    while (waiting.length > 0) {
      const part = waiting.splice(-tenantsAtOnce);
      const startMs = performance.now();
      const undrained = await drain(part);
      for (const { tenant, error } of undrained) {
        recorder.keepActive(tenant);
        failures.push(error);
      }
      // Nobody's could be moved: the others there are not held up by it, one part after another.
      if (undrained.length === part.length || pace.isOver) {
        for (const tenant of waiting.splice(0)) recorder.keepActive(tenant);
      }
      if (waiting.length > 0) await pace.rest(performance.now() - startMs);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** One Redis that is away holds up its own tenants only. */
function byPlace(tenants: readonly TenantRef[]): TenantRef[][] {
  const places = new Map<string | undefined, TenantRef[]>();
  for (const tenant of tenants) {
    const there = places.get(tenant.place);
    if (there) there.push(tenant);
    else places.set(tenant.place, [tenant]);
  }
  return [...places.values()];
}
