import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

const nothing = { total: 0, over: 0, near: 0, within: 0, shadow: 0, overUnasked: 0 };
const linesIn = (text: string) => text.split('\n').filter((line) => line.startsWith('ratelimit'));

describe('figures of the rate limit service', () => {
  it('are there where it is', async () => {
    const metrics = new Metrics({ process: false });
    expect(await metrics.text()).not.toContain('ratelimit_');
    metrics.openRls().loaded(true);
    metrics.openRls().loaded(false);
    expect(linesIn(await metrics.text())).toEqual([
      'ratelimit_service_config_load_success 1',
      'ratelimit_service_config_load_error 1',
      'ratelimit_service_global_shadow_mode 0',
    ]);
  });

  it('2.9 have the names of the reference service, without its deeper levels', async () => {
    const metrics = new Metrics({ process: false });
    const rls = metrics.openRls();
    rls.hit(['d', 'user_10.0.0.1', 'path_a:b|c', 'deep'], { ...nothing, total: 2, within: 2 });
    rls.hit(['d', 'user_10.0.0.1', 'path_a:b|c', 'other'], {
      ...nothing,
      total: 1,
      over: 1,
      overUnasked: 1,
    });
    rls.refunded(['d', 'user'], 4);
    rls.domainNotFound('x');
    rls.failed('redis_error');
    rls.letThrough();
    const lines = linesIn(await metrics.text());
    const labels = '{domain="d",key1="user_10_0_0_1",key2="path_a_b_c"}';
    expect(lines).toContain(`ratelimit_service_rate_limit_total_hits${labels} 3`);
    expect(lines).toContain(`ratelimit_service_rate_limit_within_limit${labels} 2`);
    expect(lines).toContain(`ratelimit_service_rate_limit_over_limit${labels} 1`);
    expect(lines).toContain(`ratelimit_service_rate_limit_over_limit_with_local_cache${labels} 1`);
    expect(lines).toContain(
      'ratelimit_service_rate_limit_refunded_hits{domain="d",key1="user",key2=""} 4',
    );
    expect(lines).toContain('ratelimit_service_rate_limit_domain_not_found{domain="x"} 1');
    expect(lines).toContain('ratelimit_service_should_rate_limit_error{err_type="redis_error"} 1');
    expect(lines).toContain('ratelimit_service_global_shadow_mode 1');
  });

  it('2.9 tell of the local cache where there is one', async () => {
    const metrics = new Metrics({ process: false });
    const rls = metrics.openRls();
    expect(await metrics.text()).not.toContain('localcache');
    rls.localCache({ lookups: 9, hits: 4, expired: 1, evicted: 2, entries: 3 });
    const lines = linesIn(await metrics.text()).filter((line) => line.includes('localcache'));
    expect(lines.toSorted()).toEqual([
      'ratelimit_localcache_entryCount 3',
      'ratelimit_localcache_evacuateCount 2',
      'ratelimit_localcache_expiredCount 1',
      'ratelimit_localcache_hitCount 4',
      'ratelimit_localcache_lookupCount 9',
      'ratelimit_localcache_missCount 5',
    ]);
  });

  it('A6 carry the tags that are configured, with labels and without', async () => {
    const metrics = new Metrics({ process: false });
    const rls = metrics.openRls({ region: 'eu', cell: 'b' });
    rls.hit(['d', 'user'], { ...nothing, total: 2 });
    rls.loaded(true);
    rls.failed('redis_error');
    const lines = linesIn(await metrics.text());
    expect(lines).toContain(
      'ratelimit_service_rate_limit_total_hits{region="eu",cell="b",domain="d",key1="user",key2=""} 2',
    );
    expect(lines).toContain('ratelimit_service_config_load_success{region="eu",cell="b"} 1');
    expect(lines.every((line) => line.includes('{region="eu",cell="b"'))).toBe(true);
    expect((await metrics.text()).split('\n').filter((line) => line.includes('region'))).toEqual(
      lines,
    );
  });

  it('are bounded, whatever values rules are asked with', async () => {
    const metrics = new Metrics({ process: false });
    const rls = metrics.openRls();
    for (let at = 0; at < 12_000; at += 1) rls.hit(['d', `user_${at}`], { ...nothing, total: 1 });
    rls.hit(['d', 'x'.repeat(1000)], { ...nothing, total: 1 });
    const lines = linesIn(await metrics.text());
    expect(lines.length).toBeLessThan(15_000);
    const total = lines
      .filter((line) => line.startsWith('ratelimit_service_rate_limit_total_hits'))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    expect(total).toBe(12_001);
  });
});
