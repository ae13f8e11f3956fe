import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProbe } from './probe.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a probe', () => {
  it('is down when it fails', async () => {
    expect(await createProbe(() => Promise.reject(new Error('gone')))()).toBe('down');
  });

  it('is down when nothing comes in time', async () => {
    const state = createProbe(() => new Promise(() => undefined), 100)();
    await vi.advanceTimersByTimeAsync(100);
    expect(await state).toBe('down');
  });

  it('is asked once for all who want to know, and again a little later', async () => {
    const ask = vi.fn<() => 'up'>(() => 'up');
    const probe = createProbe(ask);
    await Promise.all([probe(), probe()]);
    await probe();
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(500);
    await probe();
    expect(ask).toHaveBeenCalledTimes(2);
  });
});
