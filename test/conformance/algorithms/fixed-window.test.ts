import { describe, expect, it } from 'vitest';
import type { FixedWindowOptions } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { onEveryEngine } from '../rig.ts';

const windowOf = (more: Partial<FixedWindowOptions> = {}) =>
  limitOf({ algorithm: 'fixed_window', limit: 5, window: '10 s', ...more });

onEveryEngine('fixed window', (rig) => {
  it('begins at whole multiples of its length since 1970', async () => {
    rig.clock.advanceMs(3_333);
    const seen = await rig.look(bound(windowOf()));
    expect(seen.resetAtUs % 10_000_000).toBe(0);
    expect(seen.resetAtUs - rig.clock.nowUs).toBe(6_667_000);
  });

  it('begins with the first call when asked to', async () => {
    const limit = windowOf({ align: 'first_request' });
    rig.clock.advanceMs(3_333);
    const firstUs = rig.clock.nowUs;
    await rig.ask(bound(limit));
    rig.clock.advanceMs(5000);
    await rig.ask(bound(limit));
    expect((await rig.look(bound(limit))).resetAtUs).toBe(firstUs + 10_000_000);
  });

  it('counts to its last microsecond and starts anew with the next', async () => {
    const limit = windowOf();
    await rig.ask(bound(limit, 5));
    rig.clock.advanceUs(10_000_000 - 1);
    expect((await rig.ask(bound(limit))).allowed).toBe(false);
    rig.clock.advanceUs(1);
    expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
    expect((await rig.ask(bound(limit))).allowed).toBe(false);
  });

  it('carries nothing over an edge that falls between two calls of one millisecond', async () => {
    const limit = windowOf({ window: 1 });
    for (let window = 0; window < 20; window += 1) {
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
      rig.clock.advanceUs(999);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      rig.clock.advanceUs(1);
    }
  });

  it('says the same reset time throughout', async () => {
    const limit = windowOf();
    await rig.ask(bound(limit));
    const { resetAtUs } = await rig.look(bound(limit));
    for (let step = 0; step < 9; step += 1) {
      rig.clock.advanceUs(1_000_001);
      await rig.ask(bound(limit));
      expect((await rig.look(bound(limit))).resetAtUs).toBe(resetAtUs);
    }
  });

  describe('numbers that change', () => {
    it('keep what was used', async () => {
      await rig.ask(bound(windowOf(), 4));
      expect(await rig.look(bound(windowOf({ limit: 7 })))).toMatchObject({
        used: 4,
        remaining: 3,
      });
      expect(await rig.look(bound(windowOf({ limit: 2 })))).toMatchObject({
        used: 4,
        remaining: 0,
      });
      expect((await rig.ask(bound(windowOf({ limit: 7 }), 4))).allowed).toBe(false);
      expect((await rig.ask(bound(windowOf({ limit: 7 }), 3))).allowed).toBe(true);
    });

    it('end a window earlier when it became shorter', async () => {
      await rig.ask(bound(windowOf(), 5));
      const shorter = windowOf({ window: '4 s' });
      rig.clock.advanceUs(4_000_000 - 1);
      expect((await rig.ask(bound(shorter))).allowed).toBe(false);
      rig.clock.advanceUs(1);
      expect((await rig.ask(bound(shorter, 5))).allowed).toBe(true);
    });

    it('do not lengthen a window that is running', async () => {
      await rig.ask(bound(windowOf(), 5));
      const longer = windowOf({ window: '60 s' });
      expect((await rig.ask(bound(longer))).allowed).toBe(false);
      rig.clock.advanceMs(10_000);
      expect((await rig.ask(bound(longer, 5))).allowed).toBe(true);
      rig.clock.advanceMs(10_000);
      expect((await rig.ask(bound(longer))).allowed).toBe(false);
    });

    it('may take turns without handing out a second allowance', async () => {
      await rig.ask(bound(windowOf(), 5));
      for (let turn = 0; turn < 9; turn += 1) {
        rig.clock.advanceMs(400);
        const limit = turn % 2 === 0 ? windowOf({ window: '4 s' }) : windowOf({ window: '60 s' });
        expect((await rig.ask(bound(limit))).allowed).toBe(false);
      }
    });
  });
});
