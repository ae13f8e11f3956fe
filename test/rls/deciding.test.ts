import { describe, expect, it } from 'vitest';
import { descriptorOf, onEachEngine, type RlsRig } from './rig.ts';

const rules = `
  - { key: a, rate_limit: { name: a, unit: minute, requests_per_unit: 1 }, metadata: { who: a, only: 1 } }
  - { key: b, rate_limit: { name: b, unit: minute, requests_per_unit: 10 }, metadata: { who: b } }
  - { key: shadow, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - { key: wide, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 10 } }
  - { key: free, rate_limit: { unlimited: true } }
  - { key: none, rate_limit: { unit: minute, requests_per_unit: 0 } }
  - { key: q1, quota_mode: true, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - { key: q2, quota_mode: true, rate_limit: { unit: minute, requests_per_unit: 2 } }
  - { key: ban, rate_limit: { name: ban, unit: minute, requests_per_unit: 5, replaces: [{ name: a }, { name: b }] } }
`;

onEachEngine('a request', (rig) => {
  it('C1 is refused by one of its descriptors, and answered in their order', async () => {
    const { codes } = rig.domain(rules);
    expect(await codes('unknown=x')).toBe('ok 0, OK');
    await codes('a=x');
    expect(await codes('a=x', 'unknown=x')).toBe('over 0, ok 0, OVER');
    expect(await codes('unknown=x', 'a=x')).toBe('ok 0, over 0, OVER');
  });

  it('C3 is let pass where nobody is refused, and its status still says it', async () => {
    const { codes, stats } = rig.domain(rules, { isShadow: true });
    expect(await codes('a=x', 'b=x')).toBe('ok 0, ok 9, OK');
    expect(await codes('a=x', 'b=x')).toBe('over 0, ok 8, OK');
    expect(stats.events).toEqual(['global_shadow_mode']);
  });

  it('C4 is not refused by a rule in shadow, but by another beside it', async () => {
    const { codes, stats } = rig.domain(rules);
    await codes('shadow=x');
    expect(await codes('shadow=x')).toBe('ok 0, OK');
    expect(stats.hits.get('shadow')).toMatchObject({ total: 2, shadow: 1, over: 1 });
    await codes('a=x');
    expect(await codes('shadow=x', 'a=x')).toBe('ok 0, over 0, OVER');
  });

  it('C5 is answered with the headers of the tightest rule', async () => {
    rig.clock.nowUs = 2222_000_000;
    const { ask } = rig.domain(
      '  - { key: a, rate_limit: { unit: minute, requests_per_unit: 10 } }',
      {
        headers: ['A-Limit', 'A-Remaining', 'A-Reset'],
      },
    );
    await ask({ entries: 'a=x', hits: 10 });
    expect((await ask('a=x')).responseHeaders).toEqual([
      { name: 'A-Limit', value: '10' },
      { name: 'A-Remaining', value: '0' },
      { name: 'A-Reset', value: '58' },
    ]);
    expect((await ask('unknown=x')).responseHeaders).toEqual([]);
    const { ask: both } = rig.domain(rules, {
      headers: ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    });
    expect((await both('b=x', 'a=x')).responseHeaders.map(({ value }) => value)).toEqual([
      '1',
      '0',
      '58',
    ]);
  });

  it('C6 that says nothing is refused in the words of the reference service', async () => {
    const { service, stats } = rig.domain(rules);
    const ask = (domain: string, ...asked: string[]) =>
      service.ask({ domain, descriptors: asked.map(descriptorOf) });
    await expect(ask('', 'a=x')).rejects.toThrow('rate limit domain must not be empty');
    await expect(ask('d')).rejects.toThrow('rate limit descriptor list must not be empty');
    expect(stats.events).toEqual(['service_error', 'service_error']);
  });

  it('of too many or too long parts is refused, and nothing is charged', async () => {
    const { service, name, codes } = rig.domain(rules);
    const refused = (change: object) =>
      expect(
        service.ask({
          domain: name,
          descriptors: [descriptorOf('b=x'), { ...descriptorOf('b=x'), ...change }],
        }),
      ).rejects.toMatchObject({ code: 'invalid' });
    await refused({ entries: Array.from({ length: 33 }, () => ({ key: 'b', value: 'x' })) });
    await refused({ entries: [{ key: '', value: 'x' }] });
    await refused({ entries: [{ key: 'k'.repeat(1025), value: 'x' }] });
    await refused({ entries: [{ key: 'b', value: 'v'.repeat(4097) }] });
    await refused({ entries: [{ key: 'b', value: '\ud800' }] });
    await refused({ hits: -1 });
    await refused({ hits: 2 ** 32 });
    await refused({ limit: { requestsPerUnit: 1.5, unit: 'DAY' } });
    const many = Array.from({ length: 10_000 }, () => descriptorOf('b=x'));
    await expect(service.ask({ domain: name, descriptors: many })).rejects.toThrow('at most 64');
    expect(await codes('b=x')).toBe('ok 9, OK');
  });

  it('C7 has all it wants of an unlimited rule, and nothing of one of 0', async () => {
    const { codes, ask } = rig.domain(rules);
    expect(await codes('free=x', 'b=x')).toBe('ok 4294967295, ok 9, OK');
    expect((await ask('free=x')).statuses[0]).toMatchObject({ limit: null, resetSeconds: null });
    expect(await codes('none=x', 'b=x')).toBe('over 0, ok 9, OVER');
    expect(await codes('b=x')).toBe('ok 8, OK');
  });

  it('C10 is told the metadata of the rules that let it pass, the first to speak', async () => {
    const { ask, name } = rig.domain(rules, { hasMetadata: true });
    expect((await ask('b=x', 'a=x')).metadata).toEqual({
      domain: name,
      descriptors: [{ entries: ['b=x'] }, { entries: ['a=x'] }],
      metadata: { who: 'b', only: 1 },
    });
    expect((await ask('b=x', 'a=x')).metadata).toMatchObject({ metadata: { who: 'b' } });
    expect((await ask('a=x')).metadata).not.toHaveProperty('metadata');
    expect((await ask({ entries: 'b=x', hits: 0 })).metadata).toMatchObject({ hitsAddend: 0 });
  });

  it('F is counted under the rule that replaces the others alone', async () => {
    const { codes } = rig.domain(rules);
    for (let call = 4; call >= 0; call -= 1) {
      expect(await codes('a=x', 'b=x', 'ban=x')).toBe(`ok 0, ok 0, ok ${call}, OK`);
    }
    expect(await codes('a=x', 'b=x', 'ban=x')).toBe('ok 0, ok 0, over 0, OVER');
    expect(await codes('a=x', 'b=x')).toBe('ok 0, ok 9, OK');
  });
});

onEachEngine('many requests at once', (rig) => {
  it('pass exactly as often as there is room, and charge no rule for those that do not', async () => {
    const { ask, codes } = rig.domain(`
  - { key: few, rate_limit: { unit: day, requests_per_unit: 7 } }
  - { key: many, rate_limit: { unit: day, requests_per_unit: 100 } }`);
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask('many=x', 'few=x')));
    expect(answers.filter(({ isOver }) => !isOver)).toHaveLength(7);
    expect(await codes({ entries: 'many=x', hits: 0 })).toBe('ok 93, OK');
  });
});

onEachEngine('quota mode', (rig) => {
  /** Uses up what the rules named have. */
  const spent = async (spend: readonly string[], changed: Parameters<RlsRig['domain']>[1] = {}) => {
    const domain = rig.domain(rules, changed);
    for (const rule of spend) await domain.ask({ entries: rule, hits: rule === 'q2=x' ? 2 : 1 });
    return domain;
  };
  it.each([
    ['C9 every rule, all over', ['a=x'], ['a=x'], { isQuota: true }, 'OVER'],
    ['C9 every rule, one of two over', ['a=x'], ['a=x', 'b=x'], { isQuota: true }, 'OK'],
    ['C9 another over, the quota not', ['a=x'], ['a=x', 'q1=x'], {}, 'OVER'],
    ['C9 another not over, the only quota is', ['q1=x'], ['b=x', 'q1=x'], {}, 'OVER'],
    ['C9 none over', [], ['b=x', 'q1=x'], {}, 'OK'],
    ['C9 one quota of two over', ['q1=x'], ['b=x', 'q1=x', 'q2=x'], {}, 'OK'],
    ['C9 two of two over', ['q1=x', 'q2=x'], ['b=x', 'q1=x', 'q2=x'], {}, 'OVER'],
    ['C9 in global shadow', ['q1=x', 'q2=x'], ['q1=x', 'q2=x'], { isShadow: true }, 'OK'],
  ] as const)('%s', async (_name, spend, asked, changed, expected) => {
    const { ask } = await spent(spend, changed);
    expect((await ask(...asked)).isOver ? 'OVER' : 'OK').toBe(expected);
  });

  it('charges the rules that have room, and none where the request is refused', async () => {
    const { codes } = await spent(['q1=x']);
    expect(await codes('b=x', 'q1=x', 'q2=x')).toBe('ok 9, over 0, ok 1, OK');
    expect(await codes('b=x', 'q1=x', 'q2=x')).toBe('ok 8, over 0, ok 0, OK');
    expect(await codes('b=x', 'q1=x', 'q2=x')).toBe('ok 8, over 0, over 0, OVER');
    expect(await codes('b=x')).toBe('ok 7, OK');
    const { codes: refused } = await spent(['a=x']);
    expect(await refused('a=x', 'q1=x')).toBe('over 0, ok 1, OVER');
    expect(await refused('q1=x')).toBe('ok 0, OK');
  });

  it('counts a rule in shadow once, however often the store is asked', async () => {
    const { codes } = await spent(['q1=x']);
    await codes('wide=x', 'b=x', 'q1=x', 'q2=x');
    expect(await codes('wide=x')).toBe('ok 8, OK');
  });

  it('F quotas of 1 and 2 let two through', async () => {
    const { ask } = rig.domain(rules);
    const over: boolean[] = [];
    for (let call = 0; call < 4; call += 1) over.push((await ask('q1=x', 'q2=x')).isOver);
    expect(over).toEqual([false, false, true, true]);
  });
});

describe.each(['atomic', 'reference'] as const)('tokens, charged as %s', (charging) => {
  onEachEngine('after the response', (rig) => {
    const token = '  - { key: user, rate_limit: { unit: minute, requests_per_unit: 2 } }';

    it('F a quota of 2, looked at before and charged 1 afterwards, lets three through', async () => {
      const { ask } = rig.domain(token, { charging });
      const passed: boolean[] = [];
      for (let call = 0; call < 5; call += 1) {
        const { isOver } = await ask({ entries: 'user=x', hits: 0 });
        passed.push(!isOver);
        if (!isOver) await ask({ entries: 'user=x', hits: 1 });
      }
      expect(passed).toEqual([true, true, true, false, false]);
    });

    it('F a charge far beyond the quota counts, though it never fits', async () => {
      const { ask } = rig.domain(token, { charging });
      expect((await ask({ entries: 'user=x', hits: 0 })).isOver).toBe(false);
      await ask({ entries: 'user=x', hits: 1000 });
      expect((await ask({ entries: 'user=x', hits: 0 })).isOver).toBe(true);
    });

    it('F whoever still has tokens is named by the metadata: 2 and 3 calls', async () => {
      const services = `
  - { key: service, value: one, quota_mode: true, metadata: { one: true }, rate_limit: { unit: minute, requests_per_unit: 1 } }
  - { key: service, value: two, quota_mode: true, metadata: { two: true }, rate_limit: { unit: minute, requests_per_unit: 2 } }`;
      const { ask } = rig.domain(services, { charging, hasMetadata: true });
      const calls = { one: 0, two: 0 };
      for (let call = 0; call < 8; call += 1) {
        const look = (value: string) => ({ entries: `service=${value}`, hits: 0 });
        const { isOver, metadata } = await ask(look('one'), look('two'));
        if (isOver) continue;
        const free = metadata?.['metadata'] as Record<string, boolean>;
        const chosen = free['one'] ? 'one' : 'two';
        calls[chosen] += 1;
        await ask({ entries: `service=${chosen}`, hits: 1 });
      }
      expect(calls).toEqual({ one: 2, two: 3 });
    });
  });
});

onEachEngine('a store that does not answer', (rig) => {
  it('lets pass by default, without figures that nobody knows', async () => {
    const { ask, stats } = rig.broken(rules);
    const { isOver, statuses } = await ask('a=x', 'free=x', 'b=x');
    expect(isOver).toBe(false);
    expect(statuses[0]).toEqual({
      isOver: false,
      limit: null,
      remaining: 0,
      resetSeconds: null,
      quota: null,
    });
    expect(statuses[1]?.remaining).toBe(4_294_967_295);
    expect(stats.events).toEqual(['redis_error']);
  });

  it('refuses where that is the policy, but for rules in shadow', async () => {
    const { codes } = rig.broken(rules, { onStoreFailure: 'closed' });
    expect(await codes('a=x')).toBe('over 0, OVER');
    expect(await codes('shadow=x')).toBe('ok 0, OK');
  });

  it('lets a share pass where that is the policy', async () => {
    const { codes } = rig.broken(rules, { onStoreFailure: 'local' });
    expect(await codes('b=x')).toBe('ok 0, OK');
    const { codes: one } = rig.broken(rules, { onStoreFailure: 'local' });
    await one('a=x');
    expect(await one('a=x')).toBe('over 0, OVER');
  });

  it('C6 leaves it to the gateway where that is the policy', async () => {
    const { ask, stats } = rig.broken(rules, { onStoreFailure: 'error' });
    await expect(ask('a=x')).rejects.toMatchObject({ code: 'unavailable' });
    expect(stats.events).toEqual(['redis_error']);
  });

  it('is not waited for longer than the deadline, for charges, looks and refunds alike', async () => {
    const { codes, stats } = rig.hanging(rules, { deadlineMs: 1 });
    expect(await codes('a=x')).toBe('ok 0, OK');
    expect(await codes({ entries: 'a=x', hits: 0 })).toBe('ok 0, OK');
    expect(await codes({ entries: 'a=x', isRefund: true })).toBe('ok 0, OK');
    expect(stats.events).toEqual(['redis_error', 'redis_error', 'redis_error']);
  });

  it('is not asked about what no counter decides', async () => {
    const { codes } = rig.broken(rules);
    expect(await codes('free=x', 'unknown=x')).toBe('ok 4294967295, ok 0, OK');
    expect(await codes('none=x')).toBe('over 0, OVER');
  });
});
