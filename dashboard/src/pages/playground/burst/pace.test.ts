import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paceCalls } from './pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

describe('a burst', () => {
  it('has no more calls under way than asked for, and all of them in the end', async () => {
    let open = 0;
    let most = 0;
    let done = 0;
    const call = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 10));
      open -= 1;
      done += 1;
    };
    const burst = paceCalls({ size: 20, perSecond: 0, atOnce: 6 }, call, never);
    await vi.runAllTimersAsync();
    await burst;
    expect([most, done]).toEqual([6, 20]);
  });

  it('sends none before its time', async () => {
    const sentMs: number[] = [];
    const startMs = performance.now();
    const call = async () => void sentMs.push(Math.round(performance.now() - startMs));
    const burst = paceCalls({ size: 4, perSecond: 10, atOnce: 4 }, call, never);
    await vi.runAllTimersAsync();
    await burst;
    expect(sentMs).toEqual([0, 100, 200, 300]);
  });

  it('ends when it is called off', async () => {
    const controller = new AbortController();
    let sent = 0;
    const call = async () => {
      sent += 1;
      if (sent === 2) controller.abort();
    };
    const burst = paceCalls({ size: 9, perSecond: 10, atOnce: 1 }, call, controller.signal);
    await vi.runAllTimersAsync();
    await burst;
    expect(sent).toBe(2);
  });
});
