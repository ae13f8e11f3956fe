import { describe, expect, it } from 'vitest';
import type { Idempotency } from '../../../limiter/src/core/engine.ts';
import { bound, limitOf, question } from '../../support/limits.ts';
import { rated, ratedNames, slots } from '../algorithms.ts';
import { decidedOf, onEveryEngine, shown } from '../rig.ts';

const under = (more: Partial<Idempotency> = {}): Idempotency => ({
  scope: 'subject',
  key: 'the-key',
  fingerprint: 'the-question',
  ttlMs: 3_600_000,
  ...more,
});

onEveryEngine('an idempotency key', (rig) => {
  const limit = limitOf({ ...rated.fixed_window, window: '1 day' });

  it.each(ratedNames)('answers a repeated call as the first, and charges %s once', async (name) => {
    const one = bound(limitOf(rated[name]), 2);
    const first = await rig.askWith({ idempotency: under() }, one);
    rig.clock.advanceMs(1500);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const again = await rig.askWith({ idempotency: under() }, one);
      expect(again).toEqual({ ...first, replayOf: first.id, replayed: true });
    }
    expect(shown(await rig.ask({ ...one, cost: 1 }), one).used).toBeLessThanOrEqual(3);
  });

  it('repeats ticket and reservation of the first call', async () => {
    const open = bound(limitOf(slots));
    const reserve = { ttlMs: 60_000, onExpiry: 'keep' } as const;
    const more = { idempotency: under(), reserve };
    const first = await rig.askWith(more, open, bound(limit));
    const again = await rig.askWith(more, open, bound(limit));
    expect(again).toEqual({ ...first, replayOf: first.id, replayed: true });
    expect(first.ticket).not.toBeNull();
    expect((await rig.look(open)).used).toBe(1);
    expect(await rig.engine.release(rig.tenant, again.ticket ?? '')).toBe('released');
    expect((await rig.look(open)).used).toBe(0);
  });

  it('answers as the first also when nothing is left meanwhile', async () => {
    await rig.askWith({ idempotency: under() }, bound(limit, 5));
    expect((await rig.ask(bound(limit))).allowed).toBe(false);
    const again = await rig.askWith({ idempotency: under() }, bound(limit, 5));
    expect(again).toMatchObject({ allowed: true, replayed: true });
  });

  it('sees a repetition within one call', async () => {
    const answers = await rig.askAll(
      question([bound(limit, 3)], { idempotency: under(), id: 'first' }),
      question([bound(limit, 3)], { idempotency: under(), id: 'second' }),
    );
    expect(answers.map(decidedOf)).toMatchObject([
      { id: 'first', replayed: false },
      { id: 'first', replayed: true },
    ]);
    expect((await rig.look(bound(limit))).used).toBe(3);
  });

  it('with another question is a conflict, and charges nothing', async () => {
    await rig.askWith({ idempotency: under() }, bound(limit));
    const other = under({ fingerprint: 'another-question' });
    const answers = await rig.askAll(question([bound(limit)], { idempotency: other }));
    expect(answers).toEqual([{ kind: 'conflict' }]);
    expect((await rig.look(bound(limit))).used).toBe(1);
  });

  it('does not record a refusal: the retry is decided anew', async () => {
    await rig.ask(bound(limit, 5));
    expect((await rig.askWith({ idempotency: under() }, bound(limit))).allowed).toBe(false);
    rig.clock.advanceMs(86_400_000);
    const retried = await rig.askWith({ idempotency: under() }, bound(limit));
    expect(retried).toMatchObject({ allowed: true, replayed: false });
  });

  it('belongs to its scope and tenant', async () => {
    await rig.askWith({ idempotency: under() }, bound(limit));
    const other = await rig.askWith({ idempotency: under({ scope: 'other' }) }, bound(limit));
    expect(other.replayed).toBe(false);
    const tenant = await rig.elsewhere().askWith({ idempotency: under() }, bound(limit));
    expect(tenant.replayed).toBe(false);
  });

  it('is not confused by where scope ends and key begins', async () => {
    await rig.askWith({ idempotency: under({ scope: 'a', key: 'bc' }) }, bound(limit));
    const other = await rig.askWith(
      { idempotency: under({ scope: 'ab', key: 'c' }) },
      bound(limit),
    );
    expect(other.replayed).toBe(false);
  });

  it('repeats the answer without readings when the limits have changed', async () => {
    const other = limitOf({ ...rated.token_bucket, name: 'other' });
    await rig.askWith({ idempotency: under(), id: 'first' }, bound(limit), bound(other));
    const again = await rig.askWith({ idempotency: under() }, bound(limit));
    expect(again).toMatchObject({ allowed: true, replayed: true, id: 'first', readings: [] });
  });

  it('is forgotten after its time', async () => {
    const more = { idempotency: under({ ttlMs: 40 }) };
    expect((await rig.askWith(more, bound(limit))).replayed).toBe(false);
    // Redis forgets by its own clock, so the test asks until it has.
    const deadlineMs = Date.now() + 10_000;
    let replayed = true;
    while (replayed && Date.now() < deadlineMs) {
      rig.clock.advanceMs(40);
      replayed = (await rig.askWith(more, bound(limit))).replayed;
    }
    expect(replayed).toBe(false);
    expect((await rig.look(bound(limit))).used).toBe(2);
  });

  it('lasts until one microsecond before its time', async () => {
    await rig.askWith({ idempotency: under() }, bound(limit));
    rig.clock.advanceUs(3_600_000_000 - 1);
    expect((await rig.askWith({ idempotency: under() }, bound(limit))).replayed).toBe(true);
  });
});

const capped = {
  memory: { recordsPerTenantMax: 2 },
  redis: { allowances: { countersPerHour: 1000, recordsPerHour: 2 } },
};

onEveryEngine(
  'too many idempotency keys',
  (rig) => {
    const limit = limitOf({ ...rated.fixed_window, limit: 100 });
    const ask = (key: string) => rig.askWith({ idempotency: under({ key }) }, bound(limit));

    describe('beyond the bound', () => {
      it('a call is decided and charged, and says that it was not recorded', async () => {
        await ask('one');
        await ask('two');
        expect(await ask('three')).toMatchObject({ allowed: true, degraded: 'idempotency_full' });
        expect(await ask('three')).toMatchObject({ replayed: false });
        expect((await rig.look(bound(limit))).used).toBe(4);
      });

      it('what was recorded before is still repeated', async () => {
        for (const key of ['one', 'two', 'three']) await ask(key);
        expect(await ask('one')).toMatchObject({ replayed: true, degraded: null });
        expect((await rig.look(bound(limit))).used).toBe(3);
      });

      it('another tenant has room', async () => {
        for (const key of ['one', 'two', 'three']) await ask(key);
        const other = rig.elsewhere();
        const answer = await other.askWith({ idempotency: under() }, bound(limit));
        expect(answer.degraded).toBeNull();
      });
    });
  },
  capped,
);
