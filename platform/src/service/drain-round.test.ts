import { describe, expect, it, vi } from 'vitest';
import type { TenantRef } from 'sluice/core';
import { drainRound } from './drain-round.ts';

/** Who waits for a turn, and in which parts they were moved. */
function rigOf(tenants: readonly TenantRef[], fails: (tenant: TenantRef) => boolean = () => false) {
  const waiting = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  const parts: string[][] = [];
  const pace = { isOver: false };
  const rest = vi.fn<() => Promise<boolean>>(async () => true);
  return {
    pace,
    parts,
    rest,
    waiting,
    run: () =>
      drainRound({
        recorder: {
          flush: async () => true,
          takeActive: () => {
            const taken = [...waiting.values()];
            waiting.clear();
            return taken;
          },
          keepActive: (tenant) => void waiting.set(tenant.id, tenant),
        },
        drainer: {
          drainAll: async (asked) => {
            parts.push(asked.map(({ id }) => id));
            const error = new Error('away');
            return asked.filter(fails).map((tenant) => ({ tenant, error }));
          },
        },
        pace: {
          rest,
          get isOver() {
            return pace.isOver;
          },
        },
      }),
  };
}

const many = (count: number, place?: string): TenantRef[] =>
  Array.from({ length: count }, (_, at) => ({ id: `${place ?? 'all'}-${at}`, place }));

describe('a round of moving ledgers', () => {
  it('moves everybody once, in parts, with a rest after each but the last', async () => {
    const { run, parts, rest } = rigOf(many(250));
    await run();
    expect(parts.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(new Set(parts.flat()).size).toBe(250);
    expect(rest).toHaveBeenCalledTimes(2);
  });

  it('does not rest where there are few', async () => {
    const { run, rest } = rigOf(many(100));
    await run();
    expect(rest).not.toHaveBeenCalled();
  });

  it('gives those another turn who could not be moved, and says why', async () => {
    const { run, waiting } = rigOf(many(250), ({ id }) => id === 'all-7' || id === 'all-180');
    await expect(run()).rejects.toThrow('away');
    expect([...waiting.keys()].toSorted()).toEqual(['all-180', 'all-7']);
  });

  it('leaves a place that gives nothing after one part, and moves all others', async () => {
    const tenants = [...many(250, 'dead'), ...many(250), ...many(120, 'fine')];
    const { run, parts, waiting } = rigOf(tenants, ({ place }) => place === 'dead');
    await expect(run()).rejects.toThrow('away');
    expect(parts.filter(([first]) => first?.startsWith('dead'))).toHaveLength(1);
    expect(parts.flat().filter((id) => !id.startsWith('dead'))).toHaveLength(370);
    expect([...waiting.values()].every(({ place }) => place === 'dead')).toBe(true);
    expect(waiting.size).toBe(250);
  });

  it('leaves the rest where somebody has waited for its end too long', async () => {
    const { run, pace, parts, waiting } = rigOf([...many(250), ...many(150, 'other')]);
    pace.isOver = true;
    await run();
    expect(parts.map(({ length }) => length)).toEqual([100, 100]);
    expect(waiting.size).toBe(200);
  });

  it('gives all of a part another turn where the database takes none', async () => {
    const { run, waiting } = rigOf(many(150), () => {
      throw new Error('no database');
    });
    await expect(run()).rejects.toThrow('no database');
    expect(waiting.size).toBe(150);
  });
});
