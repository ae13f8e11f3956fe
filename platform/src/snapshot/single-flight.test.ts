import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

function slowLoads() {
  const ends: (() => void)[] = [];
  let started = 0;
  const load = () => {
    started += 1;
    const mine = started;
    return new Promise<number>((resolve) => ends.push(() => resolve(mine)));
  };
  return { load, end: (at: number) => ends[at]?.(), startedCount: () => started };
}

describe('single flight', () => {
  it('shares one load among all who join it', async () => {
    const loads = slowLoads();
    const flight = new SingleFlight<number>();
    const answers = [flight.join('a', loads.load), flight.join('a', loads.load)];
    loads.end(0);
    expect(await Promise.all(answers)).toEqual([1, 1]);
    expect(loads.startedCount()).toBe(1);
  });

  it('never answers who asks anew with a load that began before', async () => {
    const loads = slowLoads();
    const flight = new SingleFlight<number>();
    const first = flight.anew('a', loads.load);
    const later = [flight.anew('a', loads.load), flight.anew('a', loads.load)];
    loads.end(0);
    expect(await first).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    loads.end(1);
    expect(await Promise.all(later)).toEqual([2, 2]);
    expect(loads.startedCount()).toBe(2);
  });

  it('goes on after a load that failed', async () => {
    const flight = new SingleFlight<number>();
    const failing = flight.anew('a', () => Promise.reject(new Error('down')));
    const next = flight.anew('a', () => Promise.resolve(7));
    await expect(failing).rejects.toThrow('down');
    expect(await next).toBe(7);
    expect(await flight.join('a', () => Promise.resolve(8))).toBe(8);
  });
});
