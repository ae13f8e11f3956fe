import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Repeater } from './repeat.ts';

describe('a job', () => {
  it('is done again and again, never twice at once, also after it failed', async () => {
    const failures: string[] = [];
    const repeater = new Repeater((job) => failures.push(job));
    let open = 0;
    let most = 0;
    let done = 0;
    const now = repeater.start({
      name: 'count',
      everyMs: 1,
      run: async () => {
        open += 1;
        most = Math.max(most, open);
        await sleep(2);
        open -= 1;
        done += 1;
        if (done % 2 === 0) throw new Error('even');
      },
    });
    await vi.waitFor(() => {
      now();
      expect(done).toBeGreaterThanOrEqual(6);
    });
    await repeater.stop();
    const atStop = done;
    await sleep(10);
    expect(done).toBe(atStop);
    expect(most).toBe(1);
    expect(failures.length).toBeGreaterThan(0);
    expect(open).toBe(0);
  });

  it('is done at once when asked for', async () => {
    const repeater = new Repeater(() => {});
    const done = new Promise<void>((resolve) => {
      const now = repeater.start({ name: 'later', everyMs: 3_600_000, run: async () => resolve() });
      now();
    });
    await done;
    await repeater.stop();
  });
});
