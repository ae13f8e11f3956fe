import { expect, it } from 'vitest';
import type { SourceReader } from './read-source.ts';
import { Snapshots } from './snapshots.ts';
import type { Snapshot } from './snapshot.ts';
import { nowMs, shared, tenant } from './test-sources.ts';

/** A database of tenants whose epoch the test sets. */
function rigOf(tenantsMax = 100) {
  const epochs = new Map<string, number>();
  const reader = {
    shared: async () => shared(),
    tenant: async (id: string) => {
      const epoch = epochs.get(id);
      return epoch === undefined ? null : tenant({ id, epoch: { tenant: epoch, shared: 1 } });
    },
  } as unknown as SourceReader;
  const time = { nowMs: () => nowMs };
  const snapshots = new Snapshots({ reader, cache: null, watch: () => {}, tenantsMax, time });
  const load = async (id: string, epoch = 1) => {
    epochs.set(id, epoch);
    return (await snapshots.reload(id)) as Snapshot;
  };
  return { snapshots, epochs, load };
}

it('is found at a glance by who has seen it', async () => {
  const { snapshots, load } = rigOf();
  const seen = await load('t');
  expect(snapshots.knownOf({ tenantId: 'not looked up by this', snapshot: seen })).toBe(seen);
});

it('is not what somebody has seen once a newer one is known', async () => {
  const { snapshots, load } = rigOf();
  const seen = await load('t');
  const newer = await load('t', 2);
  expect(snapshots.knownOf({ tenantId: 't', snapshot: seen })).toBe(newer);
});

it('is not what somebody has seen once it was dropped', async () => {
  const { snapshots, load } = rigOf();
  const seen = await load('t');
  snapshots.drop('t', 2);
  expect(snapshots.knownOf({ tenantId: 't', snapshot: seen })).toBeUndefined();
});

it('is not what somebody has seen once its tenant is gone', async () => {
  const { snapshots, epochs, load } = rigOf();
  const seen = await load('t');
  epochs.delete('t');
  await snapshots.reload('t');
  expect(snapshots.knownOf({ tenantId: 't', snapshot: seen })).toBeUndefined();
});

it('is looked up again by who has seen one that may have been forgotten since', async () => {
  const { snapshots, load } = rigOf(4);
  const seen = await load('t');
  await load('a');
  // Now `t` is among the older half, and is kept for being asked for.
  await load('b');
  expect(snapshots.knownOf({ tenantId: 't', snapshot: seen })).toBe(seen);
  for (const id of ['c', 'd', 'e', 'f', 'g']) await load(id);
  expect(snapshots.knownOf({ tenantId: 't', snapshot: seen })).toBeUndefined();
  const again = await load('t', 2);
  expect(snapshots.knownOf({ tenantId: 't', snapshot: seen })).toBe(again);
});

it('is old when a newer one is known, when it was dropped, and when it may have been forgotten', async () => {
  const { snapshots, load } = rigOf(4);
  const [first, dropped] = [await load('t'), await load('d')];
  expect([first, dropped].map((one) => snapshots.isOld(one))).toEqual([false, false]);
  const newer = await load('t', 2);
  snapshots.drop('d', 2);
  expect([first, dropped, newer].map((one) => snapshots.isOld(one))).toEqual([true, true, false]);
  // Among the older half it is still known.
  await load('a');
  await load('b');
  expect(snapshots.known('t')).toBe(newer);
  for (const id of ['c', 'd', 'e', 'f', 'g']) await load(id);
  expect(snapshots.isOld(newer)).toBe(true);
});
