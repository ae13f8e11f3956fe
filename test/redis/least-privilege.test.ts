// Every script under a Redis user that may touch exactly the keys the call declares, and may use
// nothing but the commands listed in commands.ts.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fromIoredis,
  RedisEngine,
  type RedisClient,
} from '../../limiter/src/engines/redis/index.ts';
import { openRedis } from '../servers/connect.ts';
import { startRedis, type RedisServer } from '../servers/redis.ts';
import { bound, limitOf, question } from '../support/limits.ts';
import { randomFrom } from '../support/store.ts';
import { runEveryVerb, runWorkload } from '../support/workload.ts';
import { clientCommands, engineCommands } from './commands.ts';

const user = 'least';
const password = randomUUID();
let server: RedisServer;
let admin: Redis;
let limited: Redis;

beforeAll(async () => {
  server = await startRedis();
  admin = openRedis(server.url);
  const commands = [...engineCommands, ...clientCommands].map((name) => `+${name}`);
  await admin.acl('SETUSER', user, 'reset', 'on', `>${password}`, '-@all', ...commands);
  limited = openRedis(server.url, { username: user, password, disableClientInfo: true });
});

afterAll(async () => {
  limited?.disconnect();
  admin?.disconnect();
  await server?.stop();
});

test('the list of commands is what the scripts call', () => {
  const folder = new URL('../../limiter/src/engines/redis/lua/', import.meta.url);
  const called = new Set<string>(['eval', 'evalsha']);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.lua')) continue;
    const text = readFileSync(new URL(name, folder), 'utf8');
    for (const [, command = ''] of text.matchAll(/\bcall\('(\w+)'/g)) {
      called.add(command.toLowerCase());
    }
    // A command by a computed name would escape the list.
    expect({ name, computed: /\b(?:redis\.p)?call\((?!')/.test(text) }).toEqual({
      name,
      computed: false,
    });
  }
  expect([...called].toSorted()).toEqual([...engineCommands]);
});

/** Before each call the user is given the keys that it declares and no others. */
function declaredOnly(client: RedisClient): RedisClient {
  const allow = async (keys: readonly string[]) => {
    await admin.acl('SETUSER', user, 'resetkeys', ...keys.map((key) => `~${key}`));
  };
  return {
    evalsha: async (sha, keys, args) => {
      await allow(keys);
      return client.evalsha(sha, keys, args);
    },
    eval: async (source, keys, args) => {
      await allow(keys);
      return client.eval(source, keys, args);
    },
  };
}

test.each([
  { name: 'with room', allowances: undefined },
  {
    name: 'with newcomers sharing counters',
    allowances: { countersPerHour: 15, recordsPerHour: 5 },
  },
  { name: 'without allowances', allowances: null },
  // Whether a client is a cluster's is its own word: here it asks one server as if there were slots.
  { name: 'in two slots', allowances: undefined, cluster: true },
])('every verb keeps to the keys it declares, $name', async ({ allowances, cluster = false }) => {
  const client = { ...declaredOnly(fromIoredis(limited)), cluster };
  const prefix = `least-${randomUUID()}`;
  const options = allowances === undefined ? { prefix } : { prefix, allowances };
  const engine = new RedisEngine(client, options);
  const tenant = { id: 'least' };
  await runEveryVerb({ engine, tenant, random: randomFrom(1) });
  await runWorkload({ engine, tenant, random: randomFrom(2), steps: 1200 });
  const denied = await admin.acl('LOG');
  expect(denied).toEqual([]);
});

test('the user is held to its keys and commands, or the tests above prove nothing', async () => {
  const client = fromIoredis(limited);
  await admin.acl('SETUSER', user, 'resetkeys', '~only-this');
  const engine = new RedisEngine(client, { prefix: 'elsewhere' });
  const limit = limitOf({ algorithm: 'token_bucket', capacity: 1, refillPerSecond: 1 });
  const call = { tenant: { id: 'least' }, questions: [question([bound(limit)])] };
  await expect(engine.decide(call)).rejects.toMatchObject({ name: 'StoreFailure' });
  const touch = "redis.call('SET', 'not-declared', 1, 'PX', 1000)";
  await expect(limited.eval(touch, 0)).rejects.toThrow('The user executing the script');
  await expect(limited.flushall()).rejects.toThrow('NOPERM');
  await expect(limited.keys('*')).rejects.toThrow('NOPERM');
  await expect(limited.script('FLUSH')).rejects.toThrow('NOPERM');
  await expect(limited.config('GET', '*')).rejects.toThrow('NOPERM');
  await admin.acl('LOG', 'RESET');
});
