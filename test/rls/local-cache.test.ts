// Who is over is remembered in process until the window ends, and nobody can tell but the store.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onEachEngine, type Asked, type Domain } from './rig.ts';

const rules = `
  - { key: few, rate_limit: { unit: minute, requests_per_unit: 2 } }
  - { key: many, rate_limit: { unit: minute, requests_per_unit: 10 } }
  - { key: month, rate_limit: { unit: month, requests_per_unit: 2 } }
  - { key: shadow, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 2 } }
  - { key: wide, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 10 } }
  - { key: q1, quota_mode: true, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - { key: q2, quota_mode: true, rate_limit: { unit: minute, requests_per_unit: 2 } }
  - { key: tokens, rate_limit: { unit: minute, requests_per_unit: 3 }, sluice: { charging: after_response } }
  - { key: grant, rate_limit: { unit: minute, requests_per_unit: 6 }, sluice: { grant: 2 } }
  - { key: bucket, sluice: { algorithm: token_bucket, bucket_capacity: 2, refill_rate_per_sec: 1 } }
  - { key: block, sluice: { algorithm: fixed_window, limit: 2, window_seconds: 60, block_for_seconds: 90 } }
`;
const hitsOf = (entries: string, hits: number): Asked => ({ entries, hits });
const back = (entries: string, hits: number): Asked => ({ entries, hits, isRefund: true });

describe.each(['atomic', 'reference'] as const)('charged as %s', (charging) => {
  onEachEngine('a rule that is over', (rig) => {
    it('A3 is answered without the store from the second time on, and counted as such', async () => {
      const flow = '  - { key: key2, rate_limit: { unit: minute, requests_per_unit: 20 } }';
      const { codes, stats, storeCalls } = rig.remembering(flow, { charging });
      for (let call = 1; call <= 25; call += 1) {
        const expected = call <= 20 ? `ok ${20 - call}, OK` : 'over 0, OVER';
        expect(await codes('key2=x')).toBe(expected);
        expect(stats.hits.get('key2')).toMatchObject({
          total: call,
          over: Math.max(0, call - 20),
          overUnasked: Math.max(0, call - 21),
        });
        expect(storeCalls()).toBe(Math.min(call, 21));
      }
    });

    it('D hits, misses and entries are told; a window that ended is one that expired', async () => {
      const { codes, stats } = rig.remembering(rules, { charging });
      const figures = { lookups: 0, hits: 0, expired: 0, evicted: 0, entries: 0 };
      await codes('few=x');
      expect(stats.cache).toEqual({ ...figures, lookups: 1 });
      await codes('few=x');
      await codes('few=x');
      expect(stats.cache).toEqual({ ...figures, lookups: 3, entries: 1 });
      await codes('few=x');
      expect(stats.cache).toEqual({ ...figures, lookups: 4, hits: 1, entries: 1 });
      rig.clock.advanceMs(60_000);
      expect(await codes('few=x')).toBe('ok 1, OK');
      expect(stats.cache).toEqual({ ...figures, lookups: 5, hits: 1, expired: 1 });
    });

    it('is so until its window ends, and not a moment longer', async () => {
      const { ask, codes, storeCalls } = rig.remembering(rules, { charging });
      for (let call = 0; call < 3; call += 1) await codes('few=x');
      rig.clock.advanceMs(17_000);
      const asked = storeCalls();
      expect((await ask('few=x')).statuses[0]).toEqual({
        isOver: true,
        limit: { name: null, requestsPerUnit: 2, unit: 'MINUTE' },
        remaining: 0,
        resetSeconds: 43,
        quota: null,
      });
      rig.clock.advanceUs(42_999_999);
      expect(await codes('few=x')).toBe('over 0, OVER');
      expect(storeCalls()).toBe(asked);
      rig.clock.advanceUs(1);
      expect(await codes('few=x')).toBe('ok 1, OK');
    });

    it('D in shadow is still let pass, and told of', async () => {
      const { codes, stats, storeCalls } = rig.remembering(rules, { charging });
      for (let call = 0; call < 5; call += 1) expect(await codes('shadow=x')).toMatch(/OK$/);
      expect(storeCalls()).toBe(3);
      expect(stats.hits.get('shadow')).toMatchObject({
        total: 5,
        over: 3,
        shadow: 3,
        overUnasked: 2,
      });
    });

    it('is remembered for whom it is over, in its domain, and for nobody else', async () => {
      const { codes } = rig.remembering(rules, { charging });
      const { codes: elsewhere } = rig.remembering(rules, { charging });
      for (let call = 0; call < 4; call += 1) await codes('few=x');
      expect(await codes('few=y')).toBe('ok 1, OK');
      expect(await elsewhere('few=x')).toBe('ok 1, OK');
    });

    it.each(['bucket=x', 'block=x'])(
      'is asked about every time where it may change before: %s',
      async (entries) => {
        const { codes, storeCalls, overs } = rig.remembering(rules, { charging });
        for (let call = 0; call < 5; call += 1) await codes(entries);
        expect(storeCalls()).toBeGreaterThanOrEqual(5);
        expect(overs?.figures.entries).toBe(0);
      },
    );

    it('by a limit that was sent along says nothing of another limit', async () => {
      const { codes } = rig.remembering(rules, { charging });
      const limited = (requestsPerUnit: number, unit: 'MINUTE' | 'HOUR'): Asked => ({
        entries: 'any=x',
        limit: { requestsPerUnit, unit },
      });
      for (let call = 0; call < 3; call += 1) await codes(limited(1, 'MINUTE'));
      expect(await codes(limited(9, 'MINUTE'))).toMatch(/OK$/);
      expect(await codes(limited(1, 'HOUR'))).toBe('ok 0, OK');
      expect(await codes(limited(1, 'MINUTE'))).toBe('over 0, OVER');
    });

    it('is asked about again when rules are loaded anew, with another limit or with the same', async () => {
      const { codes, reload, storeCalls } = rig.remembering(rules, { charging });
      for (let call = 0; call < 4; call += 1) await codes('few=x');
      reload(rules.replace('requests_per_unit: 2', 'requests_per_unit: 9'));
      expect(await codes('few=x')).toMatch(/^ok \d, OK$/);
      reload(rules);
      const asked = storeCalls();
      expect(await codes('few=x')).toBe('over 0, OVER');
      expect(storeCalls()).toBe(asked + 1);
    });

    it('has room again once hits came back, also those of a call beside it', async () => {
      const { codes } = rig.remembering(rules, { charging });
      for (let call = 0; call < 4; call += 1) await codes('few=x');
      await codes(back('few=x', 4));
      expect(await codes('few=x')).toBe('ok 1, OK');
      for (let call = 0; call < 4; call += 1) await codes('few=x');
      expect(await codes(back('few=x', 4), 'few=x')).toMatch(/OK$/);
    });

    it('is not remembered by who asked before hits came back and heard after', async () => {
      const { codes } = rig.remembering(rules, { charging });
      for (let call = 0; call < 2; call += 1) await codes('few=x');
      // Both are on their way: the first is over, then the second gives back.
      await Promise.all([codes('few=x'), codes(back('few=x', 4))]);
      expect(await codes('few=x')).toMatch(/^ok \d, OK$/);
    });

    it('is forgotten with what the store may have forgotten', async () => {
      const { codes, overs, storeCalls } = rig.remembering(rules, { charging });
      for (let call = 0; call < 4; call += 1) await codes('few=x');
      overs?.clear();
      const asked = storeCalls();
      await codes('few=x');
      expect(storeCalls()).toBe(asked + 1);
    });

    it('is remembered within bounds: who was asked for last stays', async () => {
      const { codes, overs } = rig.remembering(rules, { charging }, 2000);
      for (let user = 0; user < 50; user += 1) {
        for (let call = 0; call < 3; call += 1) await codes(`few=user-${user}`);
      }
      const { entries = 0, evicted = 0 } = overs?.figures ?? {};
      expect(entries).toBeLessThanOrEqual(10);
      expect(entries + evicted).toBe(50);
      const long = 'x'.repeat(4000);
      for (let call = 0; call < 3; call += 1) await codes(`few=${long}`);
      expect(await codes(`few=${long}`)).toBe('over 0, OVER');
    });
  });
});

onEachEngine('beside a rule that is known to be over', (rig) => {
  const spent = async (charging: 'atomic' | 'reference', ...spend: readonly string[]) => {
    const domain = rig.remembering(rules, { charging });
    for (const entries of spend) {
      for (let call = 0; call < 4; call += 1) await domain.codes(entries);
    }
    return domain;
  };

  it('A4 nothing is charged where a refusal charges none', async () => {
    const { codes } = await spent('atomic', 'few=x');
    for (let call = 0; call < 3; call += 1) {
      expect(await codes('many=x', 'few=x')).toBe('ok 10, over 0, OVER');
    }
    expect(await codes('many=x')).toBe('ok 9, OK');
  });

  it('A4 the others are charged where they are charged in any case', async () => {
    const { codes } = await spent('reference', 'few=x');
    expect(await codes('many=x', 'few=x')).toBe('ok 9, over 0, OVER');
    expect(await codes('many=x', 'few=x')).toBe('ok 8, over 0, OVER');
  });

  it('rules in shadow count as if they were alone', async () => {
    const { codes } = await spent('atomic', 'few=x');
    expect(await codes('wide=x', 'many=x', 'few=x')).toBe('ok 9, ok 10, over 0, OVER');
    expect(await codes('wide=x')).toBe('ok 8, OK');
  });

  it('the only quota that is over refuses, and nothing is charged', async () => {
    const { codes } = await spent('atomic', 'q1=x');
    expect(await codes('many=x', 'q1=x')).toBe('ok 10, over 0, OVER');
    expect(await codes('many=x')).toBe('ok 9, OK');
  });

  it('a quota that has room lets pass, in one call of the store', async () => {
    const { codes, storeCalls } = await spent('atomic', 'q1=x');
    const asked = storeCalls();
    expect(await codes('many=x', 'q1=x', 'q2=x')).toBe('ok 9, over 0, ok 1, OK');
    expect(storeCalls()).toBe(asked + 1);
  });

  it('what came after the response still counts, until more than all is used', async () => {
    const { codes, storeCalls } = rig.remembering(rules);
    await codes(hitsOf('tokens=x', 3));
    expect(await codes(hitsOf('tokens=x', 0))).toBe('ok 0, OK');
    await codes(hitsOf('tokens=x', 1));
    expect(await codes(hitsOf('tokens=x', 0))).toBe('over 0, OVER');
    const asked = storeCalls();
    expect(await codes(hitsOf('tokens=x', 0))).toBe('over 0, OVER');
    expect(await codes(hitsOf('tokens=x', 5))).toBe('over 0, OVER');
    expect(storeCalls()).toBe(asked);
  });

  it('who was refused many hits may still have few', async () => {
    const { codes } = rig.remembering(rules);
    await codes(hitsOf('many=x', 7));
    expect(await codes(hitsOf('many=x', 5))).toBe('over 0, OVER');
    expect(await codes(hitsOf('many=x', 4))).toBe('over 0, OVER');
    expect(await codes(hitsOf('many=x', 3))).toBe('ok 0, OK');
  });

  it('one that blocks who goes on asking is told of every request', async () => {
    const { codes, ask } = await spent('atomic', 'few=x');
    await codes(hitsOf('block=x', 2));
    const { statuses } = await ask('few=x', 'block=x');
    expect(statuses.map(({ resetSeconds }) => resetSeconds)).toEqual([60, 90]);
    rig.clock.advanceMs(60_000);
    expect(await codes('few=x', 'block=x')).toBe('ok 2, over 0, OVER');
  });

  it('a store that is away is not missed', async () => {
    const { codes, storeCalls } = await spent('atomic', 'few=x', 'month=x');
    const asked = storeCalls();
    expect(await codes('few=x', 'month=x')).toBe('over 0, over 0, OVER');
    expect(storeCalls()).toBe(asked);
  });
});

onEachEngine('whatever is asked', (rig) => {
  const descriptor = fc.record({
    entries: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom('few=x', 'month=x', 'shadow=x', 'q1=x', 'q2=x') },
      { weight: 6, arbitrary: fc.constantFrom('many=x', 'wide=x', 'tokens=x', 'grant=x') },
      { weight: 1, arbitrary: fc.constantFrom('bucket=x', 'block=x') },
    ),
    hits: fc.constantFrom(1, 1, 1, 1, 2, 3, 0, 12),
    isRefund: fc.integer({ min: 1, max: 10 }).map((one) => one === 10),
  });
  const asked = fc.uniqueArray(descriptor, {
    minLength: 1,
    maxLength: 4,
    selector: ({ entries }) => entries,
  });
  const step = fc.oneof(
    { weight: 20, arbitrary: asked },
    { weight: 1, arbitrary: fc.constantFrom('reload' as const, 'clear' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 50_000 }) },
  );
  const settings = fc.record({
    charging: fc.constantFrom('atomic' as const, 'reference' as const),
    isShadow: fc.constantFrom(false, false, true),
    isQuota: fc.constantFrom(false, false, true),
  });

  it('the answers and the counts are those of one that remembers nobody', async () => {
    let unasked = 0;
    const property = fc.asyncProperty(
      settings,
      fc.array(step, { minLength: 10, maxLength: 60 }),
      async (changed, steps) => {
        const plain = rig.domain(rules, changed);
        const remembering = rig.remembering(rules, changed);
        const answers: unknown[] = [];
        const expected: unknown[] = [];
        for (const one of steps) {
          if (typeof one === 'number') rig.clock.advanceMs(one);
          else if (one === 'clear') remembering.overs?.clear();
          else if (one === 'reload') {
            for (const domain of [plain, remembering]) domain.reload(rules);
          } else {
            answers.push(await shown(remembering, one));
            expected.push(await shown(plain, one));
          }
        }
        expect(answers).toEqual(expected);
        expect(countsOf(remembering)).toEqual(countsOf(plain));
        unasked += remembering.overs?.figures.hits ?? 0;
      },
    );
    await fc.assert(property, { numRuns: 40 });
    // Else nothing was compared.
    expect(unasked).toBeGreaterThan(50);
  });
});

/** A grant's name is its domain's. */
async function shown({ ask }: Domain, asked: readonly Asked[]) {
  const { isOver, statuses } = await ask(...asked);
  return [isOver, statuses.map((one) => ({ ...one, quota: one.quota?.requests }))];
}

/** How those that are over divide into over and near is not known to who did not ask. */
function countsOf({ stats }: Domain) {
  return [...stats.hits].map(([name, { total, within }]) => [name, total, within]);
}
