// A real Envoy between caller and service: `npm run test:envoy`. The reference service's own checks
// end to end (F), and what Envoy's filter expects of any such service (G).

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { configOf, header, word, type RateLimitRule, type RouteRules } from './sidecar-config.ts';
import { startSidecar, type Sidecar } from './sidecar.ts';

const rules = `
domain: shop
descriptors:
  - { key: three, rate_limit: { name: three, unit: day, requests_per_unit: 3 } }
  - { key: watched, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: banned, rate_limit: { name: ban, unit: day, requests_per_unit: 1 } }
  - { key: other, rate_limit: { name: other, unit: day, requests_per_unit: 1 } }
  - key: raised
    rate_limit: { unit: day, requests_per_unit: 3, replaces: [{ name: ban }, { name: other }] }
  - { key: q1, quota_mode: true, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: q2, quota_mode: true, rate_limit: { unit: day, requests_per_unit: 2 } }
  - { key: tokens_of, rate_limit: { unit: day, requests_per_unit: 2 } }
  - key: service
    value: one
    quota_mode: true
    metadata: { one: free }
    rate_limit: { unit: day, requests_per_unit: 1 }
  - key: service
    value: two
    quota_mode: true
    metadata: { two: free }
    rate_limit: { unit: day, requests_per_unit: 2 }
  - { key: detailed, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: bucket, sluice: { algorithm: token_bucket, bucket_capacity: 4, refill_rate_per_sec: 0.001 } }
`;

const before = (...actions: RateLimitRule['actions']) => ({ actions, hits_addend: { number: 0 } });
const afterwards = (number: number, ...actions: RateLimitRule['actions']) => ({
  actions,
  hits_addend: { number },
  apply_on_stream_done: true,
});

const routes: readonly RouteRules[] = [
  { path: '/plain', rules: ['three', 'bucket'].map((name) => ({ actions: [header(name)] })) },
  { path: '/watched', rules: [{ actions: [header('watched')] }] },
  {
    path: '/raised',
    rules: ['banned', 'other', 'raised'].map((name) => ({ actions: [header(name)] })),
  },
  { path: '/quota', rules: ['q1', 'q2'].map((name) => ({ actions: [header(name)] })) },
  { path: '/tokens', rules: [before(header('tokens_of')), afterwards(1, header('tokens_of'))] },
  { path: '/pick', rules: [before(word('service', 'one')), before(word('service', 'two'))] },
  { path: '/use-one', rules: [afterwards(1, word('service', 'one'))] },
  { path: '/use-two', rules: [afterwards(1, word('service', 'two'))] },
  { path: '/detailed', rules: [{ actions: [header('detailed')] }] },
];

/** What the filter was told beside its answer, where a caller of this test sees it. */
const told = (name: string) => ({
  header: {
    key: `x-${name}`,
    value: `%DYNAMIC_METADATA(envoy.filters.http.ratelimit:metadata:${name})%`,
  },
});

let sidecar: Sidecar;

beforeAll(async () => {
  sidecar = await startSidecar({
    rules: { 'shop.yaml': rules },
    settings: { SLUICE_RLS_METADATA: 'on' },
    config: (ports) =>
      configOf(
        {
          domain: 'shop',
          routes,
          filter: { enable_x_ratelimit_headers: 'DRAFT_VERSION_03', stat_prefix: 'shop' },
          responseHeaders: [told('one'), told('two')],
        },
        ports,
      ),
  });
});

afterAll(() => sidecar?.stop());

async function statuses(count: number, path: string, headers: Readonly<Record<string, string>>) {
  const found: number[] = [];
  for (let call = 0; call < count; call += 1) {
    found.push((await sidecar.ask(path, headers)).status);
  }
  return found;
}

describe('a request through Envoy', () => {
  it('F passes as often as its rule allows, then is refused and marked', async () => {
    expect(await statuses(3, '/plain', { three: 'ann' })).toEqual([200, 200, 200]);
    const refused = await sidecar.ask('/plain', { three: 'ann' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-envoy-ratelimited')).toBe('true');
    expect((await sidecar.ask('/plain', { three: 'bob' })).status).toBe(200);
    expect(await sidecar.counter('cluster.service.ratelimit.shop.over_limit')).toBe(1);
  });

  it('G is told its limit, what remains and when that ends, of the tightest rule', async () => {
    const { headers } = await sidecar.ask('/plain', { three: 'eve', bucket: 'eve' });
    expect(headers.get('x-ratelimit-limit')).toMatch(/^3, 3;w=86400;name="three"/);
    expect(headers.get('x-ratelimit-remaining')).toBe('2');
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0);
  });

  it('is refused by one rule and charged on none', async () => {
    const both = { three: 'max', bucket: 'max' };
    expect(await statuses(4, '/plain', both)).toEqual([200, 200, 200, 429]);
    // One of four is left: the refusal took nothing of the bucket.
    expect(await statuses(2, '/plain', { bucket: 'max' })).toEqual([200, 429]);
  });

  it('F is never refused by a rule in shadow', async () => {
    expect(await statuses(4, '/watched', { watched: 'ann' })).toEqual([200, 200, 200, 200]);
  });

  it('F has a higher limit that replaces two, whose counters stay untouched', async () => {
    const all = { banned: 'ann', other: 'ann', raised: 'ann' };
    expect(await statuses(4, '/raised', all)).toEqual([200, 200, 200, 429]);
    expect(await statuses(2, '/raised', { banned: 'ann' })).toEqual([200, 429]);
    expect(await statuses(2, '/raised', { other: 'ann' })).toEqual([200, 429]);
  });

  it('F passes twice on quotas of one and two', async () => {
    expect(await statuses(4, '/quota', { q1: 'ann', q2: 'ann' })).toEqual([200, 200, 429, 429]);
  });

  it('F that is charged after its response passes three times on two tokens', async () => {
    const passed: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      const hits = await hitsOf('tokens_of');
      const { status } = await sidecar.ask('/tokens', { tokens_of: 'ann' });
      passed.push(status);
      // Envoy charges when the stream is done, beside everything else. What is refused has no charge.
      if (status === 200) await untilHits('tokens_of', hits + 1);
    }
    expect(passed).toEqual([200, 200, 200, 429, 429]);
  });

  it('F is told who still has quota: two calls of one service, three of the other', async () => {
    const used = { one: 0, two: 0 };
    for (let call = 0; call < 7; call += 1) {
      const { status, headers } = await sidecar.ask('/pick');
      if (status === 429) continue;
      const chosen = headers.get('x-one') === 'free' ? 'one' : 'two';
      used[chosen] += 1;
      await use(chosen);
    }
    expect(used).toEqual({ one: 2, two: 3 });
  });

  it('F appears in the statistics by its value where its rule asks for that', async () => {
    expect(await statuses(2, '/detailed', { detailed: 'unspec' })).toEqual([200, 429]);
    const { text } = await sidecar.node.client.get('/metrics');
    expect(text).toContain('over_limit{domain="shop",key1="detailed_unspec",key2=""} 1');
  });
});

async function use(chosen: 'one' | 'two'): Promise<void> {
  const hits = await hitsOf(`service_${chosen}`);
  await sidecar.ask(`/use-${chosen}`);
  await untilHits(`service_${chosen}`, hits + 1);
}

async function untilHits(key: string, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await hitsOf(key)).toBe(count), { timeout: 10_000 });
}

/** What was charged so far; looks are nothing. */
async function hitsOf(key: string): Promise<number> {
  const { text } = await sidecar.node.client.get('/metrics');
  const name = `ratelimit_service_rate_limit_total_hits{domain="shop",key1="${key}",key2=""} `;
  const line = text.split('\n').find((one) => one.startsWith(name));
  return line === undefined ? 0 : Number(line.slice(name.length));
}
