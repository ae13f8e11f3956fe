import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { algorithmFiles } from '../../limiter/src/engines/redis/scripts.ts';
import type { RedisClient } from '../../limiter/src/engines/redis/index.ts';
import { limitOf, question } from '../support/limits.ts';
import { openStore } from '../support/store.ts';
import { everyKind } from '../support/workload.ts';

const folder = new URL('../../limiter/src/engines/redis/lua/', import.meta.url);
const entries = readdirSync(folder).filter((name) => name.endsWith('.lua'));

test('there are scripts', () => {
  expect(entries.length).toBeGreaterThan(10);
});

test.each(entries)('%s says what it does, its KEYS, its ARGV and its reply', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  const header = /^(?:--.*\n)+/.exec(text)?.[0] ?? '';
  expect(header).toMatch(/^-- [A-Z]/);
  expect(header).toMatch(/^-- KEYS {3}\S/m);
  expect(header).toMatch(/^-- Reply {2}\S/m);
  expect(/^-- ARGV {3}\S/m.test(header)).toBe(text.includes('ARGV'));
});

test('every algorithm has its own code', () => {
  const codes = Object.values(algorithmFiles).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

/**
 * The decoder refuses a reply that is longer or shorter than it reads. Two limits in a row make
 * sure that the second begins where the first one ends.
 */
test.each(everyKind)('what Lua appends for $algorithm ($name) is what is read', async (input) => {
  let replied = 0;
  const count = (client: RedisClient): RedisClient => ({
    evalsha: async (sha, keys, args) => {
      const reply = await client.evalsha(sha, keys, args);
      replied = Array.isArray(reply) ? reply.length : 0;
      return reply;
    },
    eval: (source, keys, args) => client.eval(source, keys, args),
  });
  const store = openStore({ wrap: count });
  const { engine } = store;
  const tenant = { id: 'decoded' };
  const limit = limitOf(input);
  const last = limitOf({ algorithm: 'fixed_window', name: 'last', limit: 7, window: '365 days' });
  const bound = (cost: number) =>
    [limit, last].map((each) => ({ limit: each, parts: ['a'], cost }));
  for (const cost of [1, 1, 0, 1, 1]) {
    const result = await engine.decide({ tenant, questions: [question(bound(cost))] });
    const answer = result.kind === 'answered' ? result.answers[0] : undefined;
    if (answer?.kind !== 'decided') throw new Error('not decided');
    expect(answer.readings).toHaveLength(2);
    for (const number of Object.values(answer.readings[0]?.state as object)) {
      expect(Number.isSafeInteger(number)).toBe(true);
    }
    const tail = answer.readings[1]?.state as { startUs: number; endUs: number };
    expect(tail.endUs - tail.startUs).toBe(365 * 86_400_000_000);
  }
  const { readings } = await engine.inspect(tenant, bound(0));
  expect(readings.map(({ verdict }) => verdict)).toEqual(['ok', 'ok']);
  expect(replied).toBeGreaterThan(4);
  store.close();
});
