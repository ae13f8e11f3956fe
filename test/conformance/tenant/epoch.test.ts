import { expect, it } from 'vitest';
import type { SnapshotRef } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { rated } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

onEveryEngine('the epoch of a tenant', (rig) => {
  const limit = bound(limitOf(rated.fixed_window));
  const decide = async (tenant: number, shared = 1, more: Partial<SnapshotRef> = {}) => {
    const snapshot = { epoch: { tenant, shared }, ...more };
    const call = { tenant: rig.tenant, questions: [question([limit])], snapshot };
    return rig.engine.decide(call);
  };
  const kindOf = async (...args: Parameters<typeof decide>) => (await decide(...args)).kind;
  const publish = (tenant: number, shared = 1) =>
    rig.engine.publishEpoch(rig.tenant, { tenant, shared });
  const used = async () => (await rig.look(limit)).used;

  it('that the store does not know is asked for, with the store’s time, and nothing charged', async () => {
    expect(await decide(7)).toEqual({ kind: 'unknown', nowUs: rig.clock.nowUs });
    expect(await used()).toBe(0);
  });

  it('is seeded by a call that confirmed it', async () => {
    expect(await kindOf(7, 1, { confirmed: true })).toBe('answered');
    expect(await kindOf(7)).toBe('answered');
    expect(await kindOf(6)).toBe('stale');
    expect(await used()).toBe(2);
  });

  it('makes an older snapshot stale, with the store’s time, and nothing charged', async () => {
    await publish(8);
    expect(await decide(7)).toEqual({ kind: 'stale', nowUs: rig.clock.nowUs });
    expect(await kindOf(7, 1, { confirmed: true })).toBe('stale');
    expect(await used()).toBe(0);
    expect(await kindOf(8)).toBe('answered');
  });

  it('is raised by a newer snapshot', async () => {
    await publish(8);
    expect(await kindOf(9)).toBe('answered');
    expect(await kindOf(8)).toBe('stale');
  });

  it('compares what is shared as well', async () => {
    await publish(8, 3);
    expect(await kindOf(8, 2)).toBe('stale');
    expect(await kindOf(9, 2)).toBe('stale');
    expect(await kindOf(8, 3)).toBe('answered');
    expect(await kindOf(8, 4)).toBe('answered');
    expect(await kindOf(8, 3)).toBe('stale');
  });

  it('is raised part by part', async () => {
    await publish(8, 1);
    await publish(1, 9);
    expect(await kindOf(8, 8)).toBe('stale');
    expect(await kindOf(7, 9)).toBe('stale');
    expect(await kindOf(8, 9)).toBe('answered');
  });

  it('is never lowered by publishing', async () => {
    await publish(8);
    await publish(5);
    expect(await kindOf(7)).toBe('stale');
  });

  it('compares as numbers: ten is more than nine', async () => {
    await publish(10, 10);
    expect(await kindOf(9, 10)).toBe('stale');
    expect(await kindOf(10, 9)).toBe('stale');
    await publish(Number.MAX_SAFE_INTEGER, 10);
    expect(await kindOf(Number.MAX_SAFE_INTEGER - 1, 10)).toBe('stale');
  });

  it('runs out with the snapshot’s own time, to the microsecond', async () => {
    await publish(8);
    const validUntilUs = rig.clock.nowUs + 5_000_000;
    expect(await kindOf(8, 1, { validUntilUs })).toBe('answered');
    rig.clock.advanceUs(5_000_000 - 1);
    expect(await kindOf(8, 1, { validUntilUs })).toBe('answered');
    rig.clock.advanceUs(1);
    expect(await decide(8, 1, { validUntilUs })).toEqual({ kind: 'stale', nowUs: validUntilUs });
    expect(await kindOf(8, 1, { validUntilUs, confirmed: true })).toBe('stale');
    expect(await used()).toBe(2);
  });

  it('is not seeded by a snapshot that has run out', async () => {
    const validUntilUs = rig.clock.nowUs;
    expect(await kindOf(8, 1, { validUntilUs, confirmed: true })).toBe('stale');
    expect(await kindOf(8)).toBe('unknown');
  });

  it('is one tenant’s alone', async () => {
    await publish(8);
    const call = { questions: [question([limit])], snapshot: { epoch: { tenant: 1, shared: 1 } } };
    const other = { ...call, tenant: rig.elsewhere().tenant };
    expect((await rig.engine.decide(other)).kind).toBe('unknown');
  });

  it('is not asked for by a call without a snapshot', async () => {
    await publish(8);
    expect((await rig.ask(limit)).allowed).toBe(true);
  });
});
