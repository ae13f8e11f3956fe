import { describe, expect, it } from 'vitest';
import { onEachEngine, type RlsRig, type ServedDomain } from './rig.ts';

const flow = `
  - { key: key1, rate_limit: { unit: second, requests_per_unit: 50 } }
  - { key: one_per_minute, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - { key: key2, rate_limit: { unit: minute, requests_per_unit: 20 } }
  - { key: key3, rate_limit: { unit: hour, requests_per_unit: 10 } }
  - { key: key4, rate_limit: { unit: day, requests_per_unit: 20 } }
  - { key: files, value: "files/*", share_threshold: true, rate_limit: { unit: hour, requests_per_unit: 10 } }
  - { key: files, value: "files_no_share/*", rate_limit: { unit: hour, requests_per_unit: 10 } }
`;
const nothing = { limit: null, remaining: 0, resetSeconds: null, quota: null, isOver: false };

describe.each(['a folder', 'xDS'])('A12 the same by %s:', (source) => {
  onEachEngine('the reference flow', (rig) => {
    const open = async (changed?: Parameters<RlsRig['domain']>[1]): Promise<ServedDomain> =>
      source === 'xDS' ? rig.served(flow, changed) : rig.domain(flow, changed);

    it('A1 an unknown domain is let pass, and told of', async () => {
      const { service, stats } = await open();
      const descriptors = [
        { entries: [{ key: 'hello', value: 'world' }], limit: null, hits: 1, isRefund: false },
      ];
      const answer = await service.ask({ domain: 'foo', descriptors });
      expect(answer).toMatchObject({ isOver: false, statuses: [nothing] });
      expect(stats.events).toEqual(['domain_not_found']);
    });

    it('A2 the first call of 50 a second leaves 49', async () => {
      const { ask, stats } = await open();
      const { statuses } = await ask('key1=foo');
      expect(statuses).toEqual([
        {
          isOver: false,
          limit: { name: null, requestsPerUnit: 50, unit: 'SECOND' },
          remaining: 49,
          resetSeconds: 1,
          quota: null,
        },
      ]);
      expect(stats.hits.get('key1')?.total).toBe(1);
    });

    it('A3 twenty of 25 calls pass, and the rest count as over', async () => {
      const { codes, stats } = await open();
      for (let call = 1; call <= 25; call += 1) {
        const expected = call <= 20 ? `ok ${20 - call}, OK` : 'over 0, OVER';
        expect(await codes('key2=x')).toBe(expected);
        expect(stats.hits.get('key2')).toMatchObject({ total: call, over: Math.max(0, call - 20) });
      }
    });

    it('A4 a refusal charges none: the other rule keeps what it has', async () => {
      const { codes } = await open();
      for (let call = 1; call <= 10; call += 1) {
        expect(await codes('key2=x', 'key3=x')).toBe(`ok ${20 - call}, ok ${10 - call}, OK`);
      }
      for (let call = 11; call <= 15; call += 1) {
        expect(await codes('key2=x', 'key3=x')).toBe('ok 10, over 0, OVER');
      }
    });

    it('A4 charged as the reference service does, the other rule goes on falling', async () => {
      const { codes } = await open({ charging: 'reference' });
      for (let call = 1; call <= 10; call += 1) {
        expect(await codes('key2=x', 'key3=x')).toBe(`ok ${20 - call}, ok ${10 - call}, OK`);
      }
      for (let call = 11; call <= 15; call += 1) {
        expect(await codes('key2=x', 'key3=x')).toBe(`ok ${20 - call}, over 0, OVER`);
      }
    });

    it('A5 the time until reset runs down', async () => {
      const { ask } = await open();
      const reset = async () => (await ask('key4=durTest')).statuses[0]?.resetSeconds;
      expect(await reset()).toBe(43_200);
      rig.clock.advanceMs(2000);
      expect(await reset()).toBe(43_198);
    });

    it('A8 values under a shared pattern have one counter', async () => {
      const { codes } = await open();
      for (let call = 1; call <= 10; call += 1) await codes('files=files/a.pdf');
      // The protocol has no word for sharing.
      const expected = source === 'xDS' ? 'ok 9, OK' : 'over 0, OVER';
      expect(await codes('files=files/b.csv')).toBe(expected);
    });

    it('A9 values under a pattern have one each', async () => {
      const { codes } = await open();
      for (let call = 1; call <= 10; call += 1) {
        expect(await codes(`files=files_no_share/${call}`)).toBe('ok 9, OK');
      }
    });

    it('a window ends, and the next one is empty', async () => {
      const { codes } = await open();
      await codes('one_per_minute=x');
      expect(await codes('one_per_minute=x')).toBe('over 0, OVER');
      rig.clock.advanceMs(60_000);
      expect(await codes('one_per_minute=x')).toBe('ok 0, OK');
    });

    it('the same counter twice in a request counts twice, all or nothing', async () => {
      const { codes } = rig.domain(
        '  - { key: a, rate_limit: { unit: day, requests_per_unit: 3 } }',
      );
      expect(await codes('a=x', 'a=x')).toBe('ok 1, ok 1, OK');
      expect(await codes('a=x', 'a=x')).toBe('over 0, over 0, OVER');
      expect(await codes('a=x')).toBe('ok 0, OK');
    });

    it('ten a minute and ten a day of the same entries are two counters', async () => {
      const { codes } = await open();
      const limit = (unit: 'MINUTE' | 'DAY') => ({
        entries: 'any=x',
        limit: { requestsPerUnit: 10, unit },
      });
      expect(await codes(limit('MINUTE'))).toBe('ok 9, OK');
      expect(await codes(limit('DAY'))).toBe('ok 9, OK');
      expect(await codes(limit('DAY'))).toBe('ok 8, OK');
    });
  });
});

onEachEngine('hits', (rig) => {
  /** Used before, the limit, hits, and what is to be seen of them. */
  const cases = [
    [1, 10, 15, 'ok 4', [1, 0, 0, 1]],
    [1, 12, 15, 'ok 2', [1, 0, 1, 1]],
    [1, 15, 15, 'over 0', [1, 1, 0, 0]],
    [3, 2, 20, 'ok 15', [3, 0, 0, 3]],
    [2, 5, 8, 'ok 1', [2, 0, 1, 2]],
    [3, 16, 20, 'ok 1', [3, 0, 3, 3]],
    [3, 19, 20, 'over 0', [3, 2, 1, 0]],
    [7, 15, 20, 'over 0', [7, 2, 4, 0]],
    [3, 27, 10, 'over 0', [3, 3, 0, 0]],
    [0, 11, 10, 'over 0', [0, 0, 0, 0]],
  ] as const;

  for (const charging of ['atomic', 'reference'] as const) {
    it.each(cases)(
      `D (${charging}) %i on %i of %i`,
      async (hits, before, limit, expected, figures) => {
        const rule = `  - { key: a, sluice: { charging: after_response }, rate_limit: { unit: day, requests_per_unit: ${limit} } }`;
        const { codes, stats } = rig.domain(rule, { charging });
        await codes({ entries: 'a=x', hits: before });
        const earlier = stats.hits.get('a');
        const code = await codes({ entries: 'a=x', hits });
        expect(code.split(',')[0]).toBe(expected);
        const now = stats.hits.get('a');
        const gained = (['total', 'over', 'near', 'within'] as const).map(
          (name) => (now?.[name] ?? 0) - (earlier?.[name] ?? 0),
        );
        expect(gained).toEqual(figures);
      },
    );
  }

  it('of 0 only look: nothing is charged', async () => {
    const { codes } = rig.domain('  - { key: a, rate_limit: { unit: day, requests_per_unit: 3 } }');
    for (let call = 0; call < 5; call += 1) {
      expect(await codes({ entries: 'a=x', hits: 0 })).toBe('ok 3, OK');
    }
    expect(await codes('a=x')).toBe('ok 2, OK');
  });

  it('a look that is over refuses, and nothing else is charged', async () => {
    const rules = `
  - { key: a, rate_limit: { unit: day, requests_per_unit: 3 }, sluice: { charging: after_response } }
  - { key: b, rate_limit: { unit: day, requests_per_unit: 3 } }`;
    const { codes } = rig.domain(rules);
    await codes({ entries: 'a=x', hits: 4 });
    const look = { entries: 'a=x', hits: 0 };
    expect(await codes(look, 'b=x')).toBe('over 0, ok 3, OVER');
    expect(await codes({ entries: 'b=x', hits: 0 })).toBe('ok 3, OK');
  });

  it('can be given back, down to nothing and no further', async () => {
    const { codes, stats } = rig.domain(
      '  - { key: a, rate_limit: { unit: day, requests_per_unit: 10 } }',
    );
    const back = (hits: number) => ({ entries: 'a=x', hits, isRefund: true });
    await codes({ entries: 'a=x', hits: 4 });
    expect(await codes(back(3))).toBe('ok 9, OK');
    expect(await codes(back(3))).toBe('ok 10, OK');
    expect(await codes('a=x')).toBe('ok 9, OK');
    expect(stats.events).toEqual(['refunded a 3', 'refunded a 3']);
  });

  it('are not given back into a window that is over', async () => {
    const { codes } = rig.domain(
      '  - { key: a, rate_limit: { unit: minute, requests_per_unit: 10 } }',
    );
    await codes({ entries: 'a=x', hits: 4 });
    rig.clock.advanceMs(60_000);
    await codes({ entries: 'a=x', hits: 4, isRefund: true });
    expect(await codes('a=x')).toBe('ok 9, OK');
  });
});

onEachEngine('windows', (rig) => {
  const resetOf = async (unit: string, calendar: 'honest' | 'reference') => {
    const { ask } = rig.domain(
      `  - { key: a, rate_limit: { unit: ${unit}, requests_per_unit: 10 } }`,
      { calendar },
    );
    return (await ask('a=x')).statuses[0]?.resetSeconds;
  };
  it.each([
    ['second', 1],
    ['minute', 26],
    ['hour', 3600 - 1234],
    ['day', 86_400 - 1234],
    ['week', 604_800 - 1234],
    ['month', 2_592_000 - 1234],
    ['year', 31_536_000 - 1234],
  ])('2.4 a %s is aligned to 1970', async (unit, expected) => {
    rig.clock.nowUs = 1_234_000_000;
    expect(await resetOf(unit, 'reference')).toBe(expected);
  });

  it('weeks, months and years are those of the calendar unless told otherwise', async () => {
    rig.clock.nowUs = Date.UTC(2026, 8, 15) * 1000;
    const secondsTo = (...date: [number, number, number]) =>
      (Date.UTC(...date) * 1000 - rig.clock.nowUs) / 1_000_000;
    expect(await resetOf('week', 'honest')).toBe(secondsTo(2026, 8, 21));
    expect(await resetOf('month', 'honest')).toBe(secondsTo(2026, 9, 1));
    expect(await resetOf('year', 'honest')).toBe(secondsTo(2027, 0, 1));
    expect(await resetOf('month', 'reference')).toBe(secondsTo(2026, 9, 4));
  });
});

onEachEngine('our own algorithms', (rig) => {
  it('stand behind a descriptor, beside those of the reference service', async () => {
    const { codes, ask } = rig.domain(`
  - { key: a, sluice: { algorithm: token_bucket, bucket_capacity: 2, refill_rate_per_sec: 1 } }
  - { key: b, rate_limit: { name: log }, sluice: { algorithm: sliding_window_log, limit: 3, window_seconds: 60 } }`);
    expect(await codes('a=x', 'b=x')).toBe('ok 1, ok 2, OK');
    expect(await codes('a=x', 'b=x')).toBe('ok 0, ok 1, OK');
    expect(await codes('a=x', 'b=x')).toBe('over 0, ok 1, OVER');
    rig.clock.advanceMs(1000);
    const { statuses } = await ask('a=x', 'b=x');
    expect(statuses.map(({ limit }) => limit)).toEqual([
      { name: null, requestsPerUnit: 2, unit: null },
      { name: 'log', requestsPerUnit: 3, unit: 'MINUTE' },
    ]);
  });
});
