import { describe, expect, it } from 'vitest';
import type { BoundLimit } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { foreverMs, rated, ratedNames, slots } from '../algorithms.ts';
import { decidedOf, onEveryEngine, shown, verdictsOf } from '../rig.ts';

const mixed = [...ratedNames.map((name) => limitOf({ ...rated[name], name })), limitOf(slots)];

/** Up to 64 limits, of all algorithms in turn. */
function manyLimits(count: number): BoundLimit[] {
  const inputs = [...ratedNames.map((name) => rated[name]), slots];
  return Array.from({ length: count }, (_, at) => {
    const input = inputs[at % inputs.length] ?? slots;
    return bound(limitOf({ ...input, name: `limit-${at}` }));
  });
}

onEveryEngine('all or none', (rig) => {
  it.each(mixed.map((limit, at) => [limit.name, at] as const))(
    'a refusal by %s charges none of the other limits',
    async (_name, at) => {
      const refusing = mixed[at] ?? limitOf(slots);
      for (let call = 0; call < 5; call += 1) await rig.ask(bound(refusing));
      const before = await rig.readings(...mixed.map((limit) => bound(limit)));

      const answer = await rig.ask(...mixed.map((limit) => bound(limit)));

      expect(answer.allowed).toBe(false);
      expect(answer.ticket).toBeNull();
      expect(verdictsOf(answer)).toEqual(mixed.map((_, i) => (i === at ? 'exceeded' : 'ok')));
      expect(await rig.readings(...mixed.map((limit) => bound(limit)))).toEqual(before);
    },
  );

  it('charges every limit when all admit', async () => {
    await rig.ask(...mixed.map((limit) => bound(limit, 2)));
    for (const limit of mixed) {
      const taken = limit.numbers.algorithm === 'concurrency' ? 1 : 2;
      expect((await rig.look(bound(limit))).used).toBe(taken);
    }
  });

  it('decides 64 limits at once, and one that refuses keeps the other 63 whole', async () => {
    const limits = manyLimits(64);
    const last = limits.at(-1) as BoundLimit;
    await rig.ask({ ...last, cost: 5 });
    const before = await rig.readings(...limits);
    const refused = await rig.ask(...limits);
    expect(refused.allowed).toBe(false);
    expect(await rig.readings(...limits)).toEqual(before);
    rig.clock.advanceMs(foreverMs);
    expect((await rig.ask(...limits)).allowed).toBe(true);
    for (const limit of limits) expect((await rig.look(limit)).used).toBe(1);
  });

  describe('a refusal', () => {
    it.each(mixed.map((limit) => [limit.name, limit] as const))(
      'changes nothing of %s, however often it is repeated',
      async (_name, limit) => {
        for (let call = 0; call < 5; call += 1) await rig.ask(bound(limit));
        rig.clock.advanceMs(300);
        const before = await rig.readings(bound(limit));
        for (let call = 0; call < 20; call += 1) {
          expect((await rig.ask(bound(limit))).allowed).toBe(false);
        }
        expect(await rig.readings(bound(limit))).toEqual(before);
      },
    );

    it('does not put off recovery: who keeps asking waits no longer', async () => {
      const limit = bound(limitOf(rated.sliding_window_log));
      await rig.ask({ ...limit, cost: 5 });
      for (let second = 0; second < 10; second += 1) {
        expect((await rig.ask(limit)).allowed).toBe(false);
        rig.clock.advanceMs(1000);
      }
      expect((await rig.ask(limit)).allowed).toBe(true);
    });
  });

  describe('several questions in one call', () => {
    it.each(mixed.map((limit) => [limit.name, limit] as const))(
      'each see what the ones before took of %s',
      async (_name, limit) => {
        const answers = await rig.askAll(
          ...Array.from({ length: 7 }, () => question([bound(limit)])),
        );
        const decided = answers.map(decidedOf);
        expect(decided.map(({ allowed }) => allowed)).toEqual([
          ...Array.from({ length: 5 }, () => true),
          false,
          false,
        ]);
        expect(decided.map((one) => shown(one, bound(limit)).used)).toEqual([1, 2, 3, 4, 5, 5, 5]);
        expect((await rig.look(bound(limit))).used).toBe(5);
      },
    );

    it('are each all or none: a refused one charges nothing, the next is still decided', async () => {
      const a = limitOf({ ...rated.token_bucket, name: 'a' });
      const b = limitOf({ ...rated.fixed_window, name: 'b' });
      const answers = await rig.askAll(
        question([bound(a, 4), bound(b, 1)]),
        question([bound(a, 2), bound(b, 3)]),
        question([bound(b, 4)]),
      );
      expect(answers.map((one) => decidedOf(one).allowed)).toEqual([true, false, true]);
      expect((await rig.look(bound(a))).used).toBe(4);
      expect((await rig.look(bound(b))).used).toBe(5);
    });

    it('are answered in their order', async () => {
      const limit = limitOf(rated.fixed_window);
      const questions = ['one', 'two', 'three'].map((id) => question([bound(limit)], { id }));
      const answers = await rig.askAll(...questions);
      expect(answers.map((one) => decidedOf(one).id)).toEqual(['one', 'two', 'three']);
    });
  });

  it('a question without limits is allowed', async () => {
    expect(await rig.ask()).toMatchObject({ allowed: true, readings: [], ticket: null });
  });
});
