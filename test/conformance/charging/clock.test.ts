import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine } from '../rig.ts';

const yearUs = 365 * 86_400_000_000;

onEveryEngine('time', (rig) => {
  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);

    it.each([1, 999_999, 10_000_000, 3_600_000_000, yearUs])(
      'that goes back by %i µs grants nothing',
      async (backUs) => {
        await rig.ask(bound(limit, 5));
        rig.clock.advanceUs(-backUs);
        expect((await rig.ask(bound(limit))).allowed).toBe(false);
        expect((await rig.look(bound(limit))).remaining).toBe(0);
        rig.clock.advanceUs(backUs);
        expect((await rig.ask(bound(limit))).allowed).toBe(false);
      },
    );

    it('that jitters never admits more than time that only rises', async () => {
      const jitter = fc.array(fc.integer({ min: 0, max: 3_000_000 }), {
        minLength: 20,
        maxLength: 20,
      });
      const startUs = rig.clock.nowUs;
      const property = fc.asyncProperty(jitter, async (backs) => {
        const jumping = rig.elsewhere();
        const steady = rig.elsewhere();
        let jumped = 0;
        let risen = 0;
        for (const [step, backUs] of backs.entries()) {
          rig.clock.nowUs = startUs + step * 500_000;
          if ((await steady.ask(bound(limit))).allowed) risen += 1;
          rig.clock.nowUs -= step === 0 ? 0 : backUs;
          if ((await jumping.ask(bound(limit))).allowed) jumped += 1;
        }
        expect(jumped).toBeLessThanOrEqual(risen);
      });
      await fc.assert(property, { numRuns: rig.kind === 'memory' ? 50 : 3 });
    });

    it('a year ahead finds the whole limit, and counts on from there', async () => {
      await rig.ask(bound(limit, 5));
      rig.clock.advanceUs(yearUs);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('that jumps a year ahead and back grants one allowance at the most', async () => {
      await rig.ask(bound(limit, 5));
      rig.clock.advanceUs(yearUs);
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
      rig.clock.advanceUs(-yearUs);
      for (let call = 0; call < 5; call += 1) {
        expect((await rig.ask(bound(limit))).allowed).toBe(false);
        rig.clock.advanceUs(1000);
      }
    });
  });

  it('that goes back frees no slot', async () => {
    const limit = limitOf({ ...slots, maxConcurrent: 1 });
    await rig.ask(bound(limit));
    rig.clock.advanceUs(-yearUs);
    expect((await rig.ask(bound(limit))).allowed).toBe(false);
  });

  it('that goes back ends no penalty', async () => {
    const limit = limitOf({ ...rated.token_bucket, blockFor: '1 min' });
    await rig.ask(bound(limit, 5));
    await rig.ask(bound(limit));
    rig.clock.advanceUs(-yearUs);
    expect((await rig.ask(bound(limit))).readings[0]?.verdict).toBe('penalty');
  });

  it('is the same for all questions of one call', async () => {
    const limit = limitOf(rated.fixed_window);
    const answers = await rig.askAll(
      { id: 'a', limits: [bound(limit)], peek: false },
      { id: 'b', limits: [bound(limit)], peek: false },
    );
    const times = answers.map((answer) => (answer.kind === 'decided' ? answer.nowUs : null));
    expect(times).toEqual([rig.clock.nowUs, rig.clock.nowUs]);
  });
});
