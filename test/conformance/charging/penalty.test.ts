import { describe, expect, it } from 'vitest';
import type { LimitInput } from '../../../limiter/src/core/limit-input.ts';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine, shown, verdictsOf, type Rig } from '../rig.ts';

const growing: LimitInput = {
  algorithm: 'token_bucket',
  capacity: 1,
  refillPerSecond: 1,
  blockFor: '10 s',
  blockGrowth: 2,
  blockMax: '35 s',
};

onEveryEngine('penalties', (rig) => {
  it.each([...ratedNames.map((name) => rated[name]), slots])(
    '$algorithm: after a refusal all calls are refused for as long as it says',
    async (input) => {
      const limit = limitOf({ ...input, blockFor: '3 h' });
      for (let call = 0; call < 5; call += 1) await rig.ask(bound(limit));
      const struck = await rig.ask(bound(limit));
      expect(verdictsOf(struck)).toEqual(['exceeded']);
      expect(shown(struck, bound(limit)).retryAfterUs).toBe(3 * 3_600_000_000);

      rig.clock.advanceUs(3 * 3_600_000_000 - 1);
      const blocked = await rig.ask(bound(limit));
      expect(verdictsOf(blocked)).toEqual(['penalty']);
      expect(shown(blocked, bound(limit)).retryAfterUs).toBe(1);
      rig.clock.advanceUs(1);
      expect((await rig.ask(bound(limit))).allowed).toBe(true);
    },
  );

  it('lasts no longer for calls made while it runs', async () => {
    const limit = limitOf({ ...growing, blockGrowth: 1 });
    await strikeOnce(rig, limit);
    for (let second = 0; second < 10; second += 1) {
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
      rig.clock.advanceMs(1000);
    }
    expect((await rig.ask(bound(limit))).allowed).toBe(true);
  });

  it('grows with every repetition, up to its longest', async () => {
    const limit = limitOf(growing);
    const lengths: (number | null)[] = [];
    for (let round = 0; round < 4; round += 1) {
      const lengthUs = await strikeOnce(rig, limit);
      lengths.push(lengthUs);
      rig.clock.advanceUs(lengthUs);
    }
    expect(lengths).toEqual([10_000_000, 20_000_000, 35_000_000, 35_000_000]);
  });

  it('is forgotten after a clean time as long as the last one', async () => {
    const limit = limitOf(growing);
    rig.clock.advanceUs(await strikeOnce(rig, limit));
    rig.clock.advanceUs(await strikeOnce(rig, limit));
    rig.clock.advanceUs(20_000_000);
    expect(await strikeOnce(rig, limit)).toBe(10_000_000);
  });

  it('is remembered until one microsecond before that', async () => {
    const limit = limitOf(growing);
    rig.clock.advanceUs(await strikeOnce(rig, limit));
    rig.clock.advanceUs(10_000_000 - 1);
    expect(await strikeOnce(rig, limit)).toBe(20_000_000);
  });

  it('outlasts a counter that has long recovered, and never shortens its wait', async () => {
    const quick = limitOf({ ...rated.token_bucket, blockFor: '60 s' });
    await rig.ask(bound(quick, 5));
    expect(shown(await rig.ask(bound(quick)), bound(quick)).retryAfterUs).toBe(60_000_000);

    const slow = limitOf({ ...rated.fixed_window, name: 'slow', window: '1 day', blockFor: '1 s' });
    await rig.ask(bound(slow, 5));
    const halfADayUs = 12 * 3_600_000_000;
    expect(shown(await rig.ask(bound(slow)), bound(slow)).retryAfterUs).toBe(halfADayUs);
  });

  describe('a peek', () => {
    it('is refused during a penalty, and earns none', async () => {
      const limit = limitOf({ ...rated.fixed_window, blockFor: '20 s' });
      await rig.ask(bound(limit, 5));
      expect((await rig.ask(bound(limit, 0))).allowed).toBe(true);
      rig.clock.advanceMs(10_000);
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
      await rig.ask(bound(limit, 1));
      expect(verdictsOf(await rig.ask(bound(limit, 0)))).toEqual(['penalty']);
    });
  });

  it('is not earned by a cost that can never fit', async () => {
    const limit = limitOf({ ...rated.fixed_window, blockFor: '20 s' });
    expect(verdictsOf(await rig.ask(bound(limit, 6)))).toEqual(['impossible']);
    expect((await rig.ask(bound(limit))).allowed).toBe(true);
  });

  it('gives way to impossible, and comes before exceeded', async () => {
    const limit = limitOf({ ...rated.fixed_window, blockFor: '5 s' });
    await rig.ask(bound(limit, 5));
    expect(verdictsOf(await rig.ask(bound(limit)))).toEqual(['exceeded']);
    expect(verdictsOf(await rig.ask(bound(limit)))).toEqual(['penalty']);
    expect(verdictsOf(await rig.ask(bound(limit, 6)))).toEqual(['impossible']);
  });

  it('is one subject’s alone, and not earned when only another limit refused', async () => {
    const limit = limitOf({ ...rated.fixed_window, name: 'a', blockFor: '5 s' });
    const other = limitOf({ ...rated.fixed_window, name: 'b', limit: 1 });
    await rig.ask(bound(limit), bound(other));
    expect(verdictsOf(await rig.ask(bound(limit), bound(other)))).toEqual(['ok', 'exceeded']);
    expect((await rig.ask(bound(limit))).allowed).toBe(true);

    await rig.ask(bound(limit, 5, ['loud']));
    await rig.ask(bound(limit, 1, ['loud']));
    expect(verdictsOf(await rig.ask(bound(limit, 1, ['loud'])))).toEqual(['penalty']);
    expect((await rig.ask(bound(limit, 1, ['quiet']))).allowed).toBe(true);
  });
});

onEveryEngine('unblocking', (rig) => {
  const strict = limitOf({ ...rated.fixed_window, blockFor: '1 min', blockGrowth: 2 });
  const block = async (who: string) => {
    await rig.ask(bound(strict, 5, [who]));
    await rig.ask(bound(strict, 1, [who]));
  };

  it('ends penalties, says how many were in force, and leaves the counters', async () => {
    await block('loud');
    await block('louder');
    const limits = ['loud', 'louder', 'quiet'].map((who) => bound(strict, 1, [who]));
    expect(await rig.engine.unblock(rig.tenant, limits)).toBe(2);
    expect(await rig.engine.unblock(rig.tenant, limits)).toBe(0);
    const [reading] = await rig.readings(bound(strict, 1, ['loud']));
    expect(reading).toMatchObject({ verdict: 'exceeded', blockedUntilUs: 0 });
    expect((await rig.look(bound(strict, 1, ['loud']))).used).toBe(5);
    rig.clock.advanceMs(10_000);
    expect((await rig.ask(bound(strict, 1, ['loud']))).allowed).toBe(true);
  });

  it('does not count those that have ended', async () => {
    await block('loud');
    rig.clock.advanceMs(60_000);
    expect(await rig.engine.unblock(rig.tenant, [bound(strict, 1, ['loud'])])).toBe(0);
  });

  it('forgets how long they were: the next is a first one', async () => {
    await block('loud');
    await rig.engine.unblock(rig.tenant, [bound(strict, 1, ['loud'])]);
    const struck = await rig.ask(bound(strict, 1, ['loud']));
    expect(struck.readings[0]?.blockedUntilUs).toBe(rig.clock.nowUs + 60_000_000);
  });

  it('is one tenant’s and one subject’s alone', async () => {
    await block('loud');
    const limit = bound(strict, 1, ['loud']);
    const other = rig.elsewhere();
    expect(await other.engine.unblock(other.tenant, [limit])).toBe(0);
    expect(await rig.engine.unblock(rig.tenant, [bound(strict, 1, ['quiet'])])).toBe(0);
    expect(await rig.engine.unblock(rig.tenant, [])).toBe(0);
    expect(verdictsOf(await rig.ask(limit))).toEqual(['penalty']);
  });
});

/** Takes the only token, is refused for more, and returns how long the penalty is. */
async function strikeOnce(rig: Rig, limit: ReturnType<typeof limitOf>): Promise<number> {
  expect((await rig.ask(bound(limit))).allowed).toBe(true);
  const struck = await rig.ask(bound(limit));
  expect(verdictsOf(struck)).toEqual(['exceeded']);
  return (struck.readings[0]?.blockedUntilUs ?? 0) - struck.nowUs;
}
