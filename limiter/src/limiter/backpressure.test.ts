import { describe, expect, it } from 'vitest';
import { MemoryEngine } from '../engines/memory/index.ts';
import { createLimiter } from './create-limiter.ts';
import { fixedWindow, tokenBucket } from './limits.ts';
import { StoreFailure } from '../core/errors.ts';
import type { LimitOptions } from '../core/limit-input.ts';

const hour = '1 h';

async function delaysOf(backpressure: LimitOptions['backpressure'], more: LimitOptions = {}) {
  const limit = fixedWindow({
    limit: 100,
    window: hour,
    ...(backpressure && { backpressure }),
    ...more,
  });
  const limiter = createLimiter({ limits: [limit] });
  const delays: number[] = [0];
  for (let used = 1; used <= 101; used += 1) {
    delays.push((await limiter.check({ subject: 'me', resource: 'x' })).delayMs);
  }
  await limiter.close();
  return delays;
}

describe('near its end a limit', () => {
  it('advises no delay unless it is told to', async () => {
    expect(Math.max(...(await delaysOf(undefined)))).toBe(0);
  });

  it('advises by a straight line from where it is told to', async () => {
    const delays = await delaysOf({ from: 0.8, maxDelayMs: 2000, curve: 'linear' });
    expect([79, 80, 81, 90, 95, 100].map((used) => delays[used])).toEqual([
      0, 0, 100, 1000, 1500, 2000,
    ]);
  });

  it('advises by a curve that starts gently, a tenth up or down', async () => {
    const delays = await delaysOf({ from: 0.8, maxDelayMs: 200 });
    const curve = (used: number) => 200 * ((used / 100 - 0.8) / 0.2) ** 2;
    for (let used = 81; used <= 100; used += 1) {
      expect(delays[used]).toBeGreaterThanOrEqual(Math.round(curve(used) * 0.9));
      expect(delays[used]).toBeLessThanOrEqual(Math.min(200, Math.round(curve(used) * 1.1)));
    }
    expect(new Set(delays.slice(90, 101)).size).toBeGreaterThan(3);
  });

  it('advises nothing to who is refused, and nothing where it only watches', async () => {
    const watched = await delaysOf({ curve: 'linear' }, { mode: 'shadow' });
    expect(Math.max(...watched)).toBe(0);
    expect((await delaysOf({ curve: 'linear' }))[101]).toBe(0);
  });

  it('never asks to wait longer than the last part of a bucket takes to refill', async () => {
    const engine = new MemoryEngine({ clock: () => 1_000_000 });
    const limiter = createLimiter({
      engine,
      limits: [tokenBucket({ capacity: 10, refillPerSecond: 1000, backpressure: { from: 0.5 } })],
    });
    let last = 0;
    for (let used = 0; used < 10; used += 1) {
      last = (await limiter.check({ subject: 'me', resource: 'x' })).delayMs;
    }
    // Half of ten tokens at a thousand a second, a tenth more at the most.
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThanOrEqual(6);
    await engine.close();
  });

  it('is the same however often it is read', async () => {
    const limiter = createLimiter({
      limits: [fixedWindow({ limit: 1, window: hour, backpressure: {} })],
    });
    const decision = await limiter.check({ subject: 'me', resource: 'x' });
    expect(decision.delayMs).toBe(decision.delayMs);
    await limiter.close();
  });
});

describe('a security limit', () => {
  const guard = { limit: 1, window: hour, security: true } as const;

  const gone = Object.assign(new MemoryEngine(), {
    decide: () => Promise.reject(new StoreFailure('gone')),
  });
  const askedOf = async (limit: Parameters<typeof fixedWindow>[0]) => {
    const limiter = createLimiter({ engine: gone, limits: [fixedWindow(limit)] });
    return (await limiter.check({ subject: 'me', resource: 'x' })).allowed;
  };

  it('fails closed unless it says otherwise', async () => {
    expect(await askedOf(guard)).toBe(false);
    expect(await askedOf({ ...guard, onStoreFailure: 'open' })).toBe(true);
    expect(await askedOf({ ...guard, security: false })).toBe(true);
  });

  it('only watches for who confirms that', () => {
    expect(() => createLimiter({ limits: [fixedWindow({ ...guard, mode: 'shadow' })] })).toThrow(
      /confirm: true/,
    );
    expect(() => fixedWindow({ ...guard, mode: 'shadow', confirm: true })).not.toThrow();
  });

  it('never delays', () => {
    expect(() => createLimiter({ limits: [fixedWindow({ ...guard, backpressure: {} })] })).toThrow(
      /backpressure/,
    );
  });
});
