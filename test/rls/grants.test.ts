import { expect, it } from 'vitest';
import { onEachEngine, type Asked, type Domain } from './rig.ts';

const rules = `
  - { key: user, rate_limit: { unit: day, requests_per_unit: 50 }, sluice: { grant: 20 } }
  - { key: brief, rate_limit: { unit: hour, requests_per_unit: 50 }, sluice: { grant: 20, grant_seconds: 30 } }
  - { key: last, rate_limit: { unit: minute, requests_per_unit: 50 }, sluice: { grant: 20, grant_seconds: 3600 } }
  - { key: bucket, sluice: { algorithm: token_bucket, bucket_capacity: 50, refill_rate_per_sec: 1, grant: 20 } }
  - { key: plain, rate_limit: { unit: day, requests_per_unit: 3 } }
  - { key: watched, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 50 }, sluice: { grant: 20 } }
  - { key: seen, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 50 } }
  - { key: either, quota_mode: true, rate_limit: { unit: day, requests_per_unit: 50 }, sluice: { grant: 20 } }
  - { key: shared, value: "s*", share_threshold: true, rate_limit: { unit: day, requests_per_unit: 90 }, sluice: { grant: 20 } }
`;

/** Each status with what is granted, as `29+20`, or what is over, then what became of all. */
async function grantedBy({ ask }: Domain, ...asked: readonly Asked[]): Promise<string> {
  const { isOver, statuses } = await ask(...asked);
  const each = statuses.map((one) =>
    one.isOver ? 'over' : `${one.remaining}+${one.quota?.requests ?? 0}`,
  );
  return [...each, isOver ? 'OVER' : 'OK'].join(', ');
}

onEachEngine('grants', (rig) => {
  const quotaOf = async (domain: Domain, asked: Asked) =>
    (await domain.ask(asked)).statuses[0]?.quota;

  for (const charging of ['atomic', 'reference'] as const) {
    it(`are paid for when given, and end where they no longer fit (${charging})`, async () => {
      const domain = rig.domain(rules, { charging });
      expect(await grantedBy(domain, 'user=x')).toBe('29+20, OK');
      expect(await grantedBy(domain, 'user=x')).toBe('8+20, OK');
      for (let left = 7; left >= 0; left -= 1) {
        expect(await grantedBy(domain, 'user=x')).toBe(`${left}+0, OK`);
      }
      expect(await grantedBy(domain, 'user=x')).toBe('over, OVER');
      // All that was let pass here and all that may be let pass elsewhere: 10 and 40.
      expect(domain.stats.hits.get('user')).toMatchObject({ total: 51, within: 50, over: 1 });
    });
  }

  it('never add up to more than the limit, however many ask at once', async () => {
    const domain = rig.domain(rules);
    const answers = await Promise.all(Array.from({ length: 60 }, () => domain.ask('user=x')));
    const passed = answers.filter(({ isOver }) => !isOver);
    const granted = passed.reduce(
      (sum, { statuses }) => sum + (statuses[0]?.quota?.requests ?? 0),
      0,
    );
    expect([passed.length, granted]).toEqual([10, 40]);
  });

  it('that are not used are lost with the window, and the next has its own', async () => {
    const domain = rig.domain(rules);
    await domain.ask('last=x');
    rig.clock.advanceMs(60_000);
    expect(await grantedBy(domain, 'last=x')).toBe('29+20, OK');
  });

  it('of a window are good until it ends, or for as long as the rule says', async () => {
    const domain = rig.domain(rules);
    const nowSeconds = rig.clock.nowUs / 1_000_000;
    const until = async (asked: string) =>
      ((await quotaOf(domain, asked))?.validUntilSeconds ?? 0) - nowSeconds;
    expect(await until('user=x')).toBe(43_200);
    expect(await until('brief=x')).toBe(30);
    expect(await until('last=x')).toBe(60);
  });

  it('of a bucket are good for a second, for it fills again meanwhile', async () => {
    const domain = rig.domain(rules);
    const quota = await quotaOf(domain, 'bucket=x');
    expect(quota?.requests).toBe(20);
    expect((quota?.validUntilSeconds ?? 0) - rig.clock.nowUs / 1_000_000).toBe(1);
    expect(await grantedBy(domain, 'bucket=x')).toBe('8+20, OK');
  });

  it('have one id for one counter, and another for another', async () => {
    const domain = rig.domain(rules);
    const idOf = async (asked: string) => (await quotaOf(domain, asked))?.id;
    const shared = await idOf('shared=s1');
    expect(shared).toMatch(/^[\w-]{22}$/);
    expect(await idOf('shared=s2')).toBe(shared);
    const ann = await idOf('user=ann');
    expect(await idOf('user=ann')).toBe(ann);
    expect(await idOf('user=bob')).not.toBe(ann);
    expect((await quotaOf(rig.domain(rules), 'user=ann'))?.id).not.toBe(ann);
  });

  it('are given to nobody who is refused, and charged to nobody either', async () => {
    const domain = rig.domain(rules);
    await domain.ask({ entries: 'plain=x', hits: 3 });
    expect(await grantedBy(domain, 'user=x', 'plain=x')).toBe('50+0, over, OVER');
    expect(await grantedBy(domain, 'user=x')).toBe('29+20, OK');
  });

  it('that do not fit leave the other rules of the request charged once', async () => {
    const domain = rig.domain(rules);
    await domain.ask({ entries: 'user=x', hits: 15 });
    expect(await grantedBy(domain, 'user=x', 'plain=x', 'seen=x')).toBe('14+0, 2+0, 49+0, OK');
  });

  it('are for what is asked by a rule that may refuse, not for a look or a refund', async () => {
    const domain = rig.domain(rules);
    expect(await grantedBy(domain, 'watched=x')).toBe('49+0, OK');
    expect(await grantedBy(domain, 'either=x')).toBe('49+0, OK');
    await domain.ask({ entries: 'last=x', hits: 10 });
    expect(await grantedBy(domain, { entries: 'last=x', hits: 10, isRefund: true })).toBe(
      '30+0, OK',
    );
    expect(await grantedBy(domain, { entries: 'user=x', hits: 0 })).toBe('50+0, OK');
    // Who looks charges afterwards: there is nothing to come that could be granted.
    expect(await grantedBy(domain, 'user=x')).toBe('49+0, OK');
    expect(await grantedBy(rig.domain(rules, { isShadow: true }), 'brief=x')).toBe('49+0, OK');
  });

  it('are none where the store does not answer', async () => {
    expect(await grantedBy(rig.broken(rules), 'user=x')).toBe('0+0, OK');
  });
});
