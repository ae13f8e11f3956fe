import fc from 'fast-check';
import type { Cluster } from 'ioredis';
import { expect, inject, test } from 'vitest';
import type { RedisClient } from '../../limiter/src/engines/redis/index.ts';
import { Keys } from '../../limiter/src/engines/redis/keys.ts';
import { openCluster } from '../servers/connect.ts';
import { openClusterStore, randomFrom } from '../support/store.ts';
import { runEveryVerb, runWorkload } from '../support/workload.ts';

const hostileTenants = [
  'plain',
  '{plain}',
  '{a}{b}',
  '}{',
  '{}',
  '{',
  '}',
  'a:b',
  ':',
  'nul\u0000inside',
  'new\nline',
  '*',
  '😀',
  'é',
  'e\u0301',
];

test('no verb crosses slots, whatever the tenant is called', async () => {
  const seen = new Map<string, Set<string>>();
  const global = new Set<string>();
  let current = '';
  const watch = (client: RedisClient): RedisClient => {
    const note = (keys: readonly string[]) => {
      const isGlobal = keys.some((key) => key.includes('{global}'));
      const known = isGlobal ? global : (seen.get(current) ?? new Set());
      for (const key of keys) known.add(key);
      if (!isGlobal) seen.set(current, known);
    };
    return {
      cluster: client.cluster ?? false,
      evalsha: (sha, keys, args) => (note(keys), client.evalsha(sha, keys, args)),
      eval: (source, keys, args) => (note(keys), client.eval(source, keys, args)),
    };
  };
  const store = openClusterStore({ wrap: watch });
  const { engine, redis, prefix } = store;
  for (const [at, id] of hostileTenants.entries()) {
    current = id;
    await runEveryVerb({ engine, tenant: { id, generation: at % 3 }, random: randomFrom(at) });
    await runWorkload({
      engine,
      tenant: { id, generation: at % 3 },
      random: randomFrom(at),
      steps: 30,
    });
  }
  const tags = new Set<string>();
  for (const [, keys] of seen) {
    expect(keys.size).toBeGreaterThan(50);
    expect(new Set(await slotsOf(redis, [...keys])).size).toBe(1);
    for (const key of keys) {
      expect(key).toMatch(keyPattern(prefix));
      tags.add(/\{.*\}/.exec(key)?.[0] ?? '');
    }
  }
  expect(tags.size).toBe(hostileTenants.length);
  // What is global is in one slot, and no key of a tenant was ever asked about with it.
  expect(global.size).toBeGreaterThan(50);
  expect(new Set(await slotsOf(redis, [...global])).size).toBe(1);
  for (const key of global) expect(key).toMatch(globalKeyPattern(prefix));
  store.close();
});

/** Nothing in a key comes from a caller as it was written: all is base64url. */
function keyPattern(prefix: string): RegExp {
  return new RegExp(`^${prefix}1:\\{[\\w-]{16}\\}\\d*:[\\w-]{1,34}$`);
}

function globalKeyPattern(prefix: string): RegExp {
  return new RegExp(`^${prefix}1:\\{global\\}:[\\w-]{1,34}$`);
}

test('tenants spread over the slots, and a tenant of many generations stays in one', async () => {
  const redis = openCluster(inject('redisClusterNodes'));
  const keys = new Keys({ prefix: 'sl', secret: 'a secret' });
  const tenants = Array.from({ length: 2000 }, (_, at) => keys.tenant({ id: `tenant-${at}` }));
  // 2000 of 16,384 slots at random: some 110 shared ones are expected, hundreds never.
  expect(new Set(await slotsOf(redis, tenants)).size).toBeGreaterThan(1800);
  const generations = [0, 1, 2, 3_000_000].map((generation) =>
    keys.tenant({ id: 'moved', generation }),
  );
  expect(new Set(await slotsOf(redis, generations)).size).toBe(1);
  redis.disconnect();
});

test('no tenant chooses its own tag', () => {
  const keys = new Keys({ prefix: 'sl', secret: 'a secret' });
  const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(name, (id) => {
      expect(keys.tenant({ id })).toMatch(/^sl1:\{[\w-]{16}\}:$/);
    }),
  );
});

/** As the server itself computes them. */
async function slotsOf(redis: Cluster, keys: readonly string[]): Promise<number[]> {
  const slots = await Promise.all(keys.map((key) => redis.cluster('KEYSLOT', key)));
  return slots.map(Number);
}
