import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BoundLimit } from '../../limiter/src/core/engine.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import { overflowOf, type Limit } from '../../limiter/src/core/limit.ts';
import { parseLimit } from '../../limiter/src/core/parse-limit.ts';
import { Keys, holdsSuffix, penaltySuffix } from '../../limiter/src/engines/redis/keys.ts';
import { limitOf, question } from '../support/limits.ts';
import { keysOf, openStore } from '../support/store.ts';

const keys = new Keys({ prefix: 'sl', secret: 'a secret' });
const shape = { algorithm: 'fixed_window', limit: 10, window: '1 min' } as const;

function limitNamed(name: string, more: Partial<LimitInput> = {}, definedBy = 'test'): Limit {
  const input = { ...shape, name, ...more } as LimitInput;
  const limit = parseLimit(input, { definedBy, field: 'limit' });
  if (!limit) throw new Error('the limit is off');
  return limit;
}

/** Each differs from each other by one thing that a careless join would lose. */
const limits: readonly Limit[] = [
  limitNamed('a'),
  limitNamed('ab'),
  limitNamed('a', { unit: 'b' }),
  limitNamed('ab', { unit: 'b' }),
  limitNamed('a', { unit: 'bb' }),
  limitNamed('a.b'),
  limitNamed('a', { unit: 'b1' }),
  limitNamed('a', { per: ['tenant'] }),
  limitNamed('a', { per: ['subject'] }),
  limitNamed('a', { per: ['resource'] }),
  limitNamed('a', { per: ['attributes.a'] }),
  limitNamed('a', { per: ['attributes.a', 'attributes.b'] }),
  limitNamed('a', { per: ['attributes.ab'] }),
  limitNamed('a', {}, 'other'),
  limitNamed('a', {}, 'testa'),
  limitNamed('1'),
  limitNamed('11'),
  limitOf({ algorithm: 'token_bucket', name: 'a', capacity: 10, refillPerSecond: 1 }),
  limitOf({ algorithm: 'sliding_window_log', name: 'a', limit: 10, window: '1 min' }),
  limitOf({ algorithm: 'sliding_window_counter', name: 'a', limit: 10, window: '1 min' }),
  limitOf({ algorithm: 'concurrency', name: 'a', maxConcurrent: 10, staleAfter: '1 min' }),
  limitOf({ algorithm: 'quota', name: 'a', limit: 10, period: 'day' }),
  limitOf({ algorithm: 'quota', name: 'a', limit: 10, period: 'month' }),
].flatMap((limit) => [limit, overflowOf(limit)]);

const trickyTexts = [
  '',
  '-',
  '--',
  ':',
  '1:',
  '1:a',
  '1:-',
  'a',
  'aa',
  'a:a',
  'null',
  '0',
  '0:',
  'p',
  'h',
  ' ',
  '\u0000',
  'a\u0000',
  '\u0000a',
  // Pairs that look alike or are equal once normalised.
  '\u00e9',
  'e\u0301',
  '\ufb01',
  'fi',
  '\u00c5',
  '\u212b',
  '\u0430',
  '\u0131',
  'I',
  'i',
  '😀',
  '\u200b',
  'a\u200b',
];

const part = fc.option(fc.oneof(fc.constantFrom(...trickyTexts), fc.string({ unit: 'grapheme' })), {
  nil: null,
});
const identity = fc.record({
  limit: fc.nat({ max: limits.length - 1 }),
  parts: fc.array(part, { maxLength: 4 }),
});

function counterOf({ limit, parts }: { limit: number; parts: readonly (string | null)[] }): string {
  const bound: BoundLimit = { limit: limits[limit] as Limit, parts, cost: 1 };
  return keys.counter(bound);
}

test('no two limits share a counter', () => {
  const made = limits.map((_, limit) => counterOf({ limit, parts: ['a'] }));
  expect(new Set(made).size).toBe(limits.length);
});

test('no two identities share a counter', () => {
  fc.assert(
    fc.property(identity, identity, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(counterOf(one) === counterOf(other)).toBe(same);
    }),
    { numRuns: 5000 },
  );
});

test('no two of all short lists of tricky texts share a counter', () => {
  const values = [null, ...trickyTexts];
  const lists: (string | null)[][] = [[], ...values.map((value) => [value])];
  for (const a of values) for (const b of values) lists.push([a, b]);
  for (const a of values.slice(0, 14)) {
    for (const b of values.slice(0, 14)) for (const c of values.slice(0, 14)) lists.push([a, b, c]);
  }
  const made = new Set(lists.map((parts) => counterOf({ limit: 0, parts })));
  expect(made.size).toBe(lists.length);
});

test('counters, their companions and the other keys of a tenant never meet', () => {
  const made = new Map<string, string>();
  const claim = (key: string, owner: string) => {
    expect({ key, owner: made.get(key) ?? owner }).toEqual({ key, owner });
    made.set(key, owner);
  };
  for (const suffix of ['e', 'u', 'd', 'n', 'm']) claim(suffix, `the tenant's ${suffix}`);
  for (let batch = 0; batch < 50; batch += 1) claim(keys.ledgerBatch(batch), `batch ${batch}`);
  for (const text of trickyTexts) {
    claim(keys.reservation(text), `reservation ${text}`);
    claim(keys.refund(text), `refund ${text}`);
    claim(keys.ledgerWriter(text), `writer ${text}`);
    for (const scope of trickyTexts) {
      claim(keys.answer(scope, text), `record ${JSON.stringify([scope, text])}`);
    }
    for (const limit of limits.keys()) {
      for (const parts of [[], [text], [text, text], [null, text]]) {
        if (parts.length === 0 && text !== '') continue;
        const owner = JSON.stringify([limit, parts]);
        const counter = counterOf({ limit, parts });
        claim(counter, owner);
        claim(counter + holdsSuffix, `holds of ${owner}`);
        claim(counter + penaltySuffix, `penalty of ${owner}`);
      }
    }
  }
});

test('generations, tenants, prefixes and secrets keep their keys apart', () => {
  const prefixes = new Set<string>();
  for (const secret of ['', 'a', 'ab', '1:a']) {
    for (const prefix of ['sl', 'sl1', 's']) {
      const own = new Keys({ prefix, secret });
      for (const id of trickyTexts) {
        for (const generation of [0, 1, 11]) prefixes.add(own.tenant({ id, generation }));
      }
    }
  }
  expect(prefixes.size).toBe(4 * 3 * trickyTexts.length * 3);
});

test('what callers wrote appears in no key and no value', async () => {
  const store = openStore({ secret: 'canary-secret' });
  const { engine, redis, prefix } = store;
  const tenant = { id: 'canary-tenant' };
  const parts = ['canary-subject', 'canary-resource'];
  const every: LimitInput[] = [
    { algorithm: 'token_bucket', capacity: 10, refillPerSecond: 1, blockFor: '1 min' },
    { algorithm: 'fixed_window', limit: 1, window: '1 min', blockFor: '1 min', mode: 'shadow' },
    { algorithm: 'sliding_window_log', limit: 10, window: '1 min' },
    { algorithm: 'sliding_window_counter', limit: 10, window: '1 min' },
    { algorithm: 'concurrency', maxConcurrent: 10, staleAfter: '1 min' },
    { algorithm: 'quota', limit: 10, period: 'month' },
  ];
  const bound = every.map((input) => ({
    limit: limitOf({ ...input, name: 'canary-limit' }),
    parts,
    cost: 1,
  }));
  const idempotency = {
    scope: 'canary-subject',
    key: 'canary-idempotency',
    fingerprint: 'canary-fingerprint',
    ttlMs: 60_000,
  };
  const reserve = { ttlMs: 60_000, onExpiry: 'keep' } as const;
  const snapshot = { epoch: { tenant: 1, shared: 1 }, confirmed: true };
  for (const more of [{ idempotency }, { reserve }, {}]) {
    const questions = [question(bound, { ...more, ledgerLabel: 'label' })];
    await engine.decide({ tenant, questions, snapshot });
  }
  await engine.refund(tenant, { id: 'canary-refund', chargedAtUs: 1, limits: bound });
  const counts = [{ minute: 1, outcome: 'blocked', label: 'label', count: 1 }] as const;
  await engine.takeLedger(tenant, 1);
  await engine.record(tenant, { writer: 'canary-writer', number: 1, counts });
  const found = await keysOf(redis, prefix);
  expect(found.length).toBeGreaterThan(12);
  for (const key of found) {
    expect(key).not.toContain('canary');
    const value = await redis.dumpBuffer(key);
    expect(value?.toString('latin1')).not.toContain('canary');
  }
  store.close();
});
