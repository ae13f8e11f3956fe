import { describe, expect, it } from 'vitest';
import { bound, limitOf } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { onEveryEngine, shown, verdictsOf } from '../rig.ts';

onEveryEngine('what a call costs', (rig) => {
  describe.each(ratedNames)('%s', (name) => {
    const limit = limitOf(rated[name]);

    it('takes a cost of one, one at a time, until nothing is left', async () => {
      for (let left = 4; left >= 0; left -= 1) {
        const answer = await rig.ask(bound(limit));
        expect(answer.allowed).toBe(true);
        expect(shown(answer, bound(limit))).toMatchObject({ remaining: left, used: 5 - left });
      }
      expect((await rig.ask(bound(limit))).allowed).toBe(false);
    });

    it('takes the whole limit in one call, and then nothing more', async () => {
      expect((await rig.ask(bound(limit, 5))).allowed).toBe(true);
      const answer = await rig.ask(bound(limit, 1));
      expect(answer.allowed).toBe(false);
      expect(verdictsOf(answer)).toEqual(['exceeded']);
    });

    it('counts the cost of this call before admitting it', async () => {
      await rig.ask(bound(limit, 3));
      expect((await rig.ask(bound(limit, 3))).allowed).toBe(false);
      expect((await rig.ask(bound(limit, 2))).allowed).toBe(true);
    });

    it('answers a cost above the limit with impossible and no time to retry', async () => {
      const answer = await rig.ask(bound(limit, 6));
      expect(answer.allowed).toBe(false);
      expect(verdictsOf(answer)).toEqual(['impossible']);
      expect(shown(answer, bound(limit, 6)).retryAfterUs).toBeNull();
    });

    it('says impossible rather than exceeded when nothing is left either', async () => {
      await rig.ask(bound(limit, 5));
      expect(verdictsOf(await rig.ask(bound(limit, 6)))).toEqual(['impossible']);
    });

    it('charges nothing for a cost of zero beside one that is charged', async () => {
      const other = limitOf({ ...rated.fixed_window, name: 'other', unit: 'tokens' });
      const answer = await rig.ask(bound(limit, 0), bound(other, 2));
      expect(answer.allowed).toBe(true);
      expect(await rig.look(bound(limit))).toMatchObject({ used: 0, remaining: 5 });
      expect(await rig.look(bound(other))).toMatchObject({ used: 2, remaining: 3 });
    });

    it('lets a cost of zero pass a limit that is used up when another is charged', async () => {
      const other = limitOf({ ...rated.fixed_window, name: 'other', unit: 'tokens' });
      await rig.ask(bound(limit, 5));
      const answer = await rig.ask(bound(limit, 0), bound(other, 2));
      expect(answer.allowed).toBe(true);
      expect(verdictsOf(answer)).toEqual(['ok', 'ok']);
    });
  });

  it('takes one slot of a concurrency limit whatever the cost', async () => {
    const limit = limitOf(slots);
    const answer = await rig.ask(bound(limit, 1_000_000));
    expect(answer.allowed).toBe(true);
    expect(shown(answer, bound(limit))).toMatchObject({ used: 1, remaining: 4 });
  });
});
