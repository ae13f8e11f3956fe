import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  quota,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
  type Check,
  type Limiter,
} from 'sluice';
import { canary, loneSurrogate, megabyte, refusedField, untyped } from './problem.ts';
import { openPlace, type Place } from './places.ts';

const everyLimit = [
  tokenBucket({ capacity: 1000, refill: { tokens: 1, every: '1 day' } }),
  fixedWindow({ limit: 1000, window: '365 days', blockFor: '1 day' }),
  slidingWindow({ limit: 1000, window: '365 days' }),
  slidingWindowCounter({ limit: 1000, window: '365 days', unit: 'tokens' }),
  concurrency({ maxConcurrent: 1000, staleAfter: '1 day' }),
  quota({ limit: 1000, period: 'year', per: ['tenant', 'attributes.team'] }),
];

const good = { resource: 'GET:/orders', subject: 'someone' };
const notText = [undefined, null, 5, true, {}, [], ['a'], Symbol('a'), '', megabyte, loneSurrogate];
const notCost = [
  -1,
  NaN,
  Infinity,
  -Infinity,
  0.5,
  1e-7,
  2 ** 53,
  2 ** 51,
  Number.MAX_VALUE,
  '1',
  '',
  null,
  true,
  {},
  [1],
  5n,
];
const optional = (values: readonly unknown[]) => values.filter((value) => value !== undefined);
const crowd = (value: unknown) =>
  Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`n${at}`, value]));

type Row = readonly [field: string, change: Readonly<Record<string, unknown>>];
const rowsOf = (field: string, values: readonly unknown[]): Row[] =>
  values.map((value) => [field, { [field]: value }]);

const rows: readonly Row[] = [
  ...rowsOf('resource', [...notText, 'x'.repeat(2049)]),
  ...rowsOf('subject', [...notText, 'x'.repeat(1025)]),
  ...rowsOf('tenant', [...optional(notText), 'x'.repeat(1025)]),
  ...rowsOf('cost', notCost),
  ...rowsOf('costs', [null, 5, 'tokens', [], true, crowd(1)]),
  ...notCost.map((cost): Row => ['costs.tokens', { costs: { tokens: cost } }]),
  ['costs.requests', { costs: { requests: 5 } }],
  ...['', ' ', 'a b', `${canary}:x`, 'a{b}', 'é', '\u0000', megabyte, '-x'].map((unit): Row => [
    'costs',
    { costs: { [unit]: 1 } },
  ]),
  ['costs', { costs: JSON.parse('{"__proto__": 5}') }],
  ...rowsOf('attributes', [null, 5, 'team', [], ['team'], true, crowd('a')]),
  ...notText.map((value): Row => ['attributes.team', { attributes: { team: value } }]),
  ...['', ' ', 'a b', `${canary}:x`, 'é', megabyte].map((name): Row => [
    'attributes',
    { attributes: { [name]: 'a' } },
  ]),
  ['attributes', { attributes: JSON.parse('{"__proto__": "a"}') }],
  ...rowsOf('idempotencyKey', [
    null,
    '',
    'short',
    'x'.repeat(129),
    `${canary} with spaces`,
    `${canary}:colon`,
    `${canary}\n12345`,
    'é'.repeat(10),
    megabyte,
    12_345_678,
    {},
  ]),
  ...rowsOf('reserve', [null, 5, true, '1 s', []]),
  ...[undefined, 0, -1, NaN, Infinity, 1.5, '1000', null, 86_400_001, 2 ** 53].map((ttlMs): Row => [
    'reserve.ttlMs',
    { reserve: { ttlMs } },
  ]),
  ...['', 'settle', 5, true].map((onExpiry): Row => [
    'reserve.onExpiry',
    { reserve: { ttlMs: 1000, onExpiry } },
  ]),
  ['reserve.ttl', { reserve: { ttlMs: 1000, ttl: 5 } }],
  ['weight', { weight: 5 }],
  ['constructor', { constructor: 5 }],
  ['plan_id', { plan_id: 'pro' }],
];

describe.each(['memory', 'redis'] as const)('on %s', (name) => {
  let place: Place;
  let limiter: Limiter;

  beforeAll(async () => {
    place = await openPlace(name);
    limiter = place.limiter(everyLimit);
    await limiter.check({ ...good, costs: { tokens: 3 } });
  });

  afterAll(() => place?.close());

  test.each(rows)('a bad %s is refused by name and counts nothing (%#)', async (field, change) => {
    const check: Check = untyped({ ...good, costs: { tokens: 1 }, ...change });
    const before = await place.state();
    expect(await refusedField(() => limiter.check(check))).toBe(field);
    expect(await place.state()).toBe(before);
  });

  test.each([undefined, null, 5, 'GET:/', true])('a check that is %s is refused', async (check) => {
    expect(await refusedField(() => limiter.check(untyped(check)))).toBe('check');
    expect(await refusedField(() => limiter.reset(untyped(check)))).toBe('check');
  });

  test('a missing attribute that a limit requires is named, and nothing is counted', async () => {
    const strict = place.limiter([
      fixedWindow({ name: 'first', limit: 5, window: '365 days' }),
      fixedWindow({ limit: 5, window: '1 min', per: ['attributes.team'], onMissing: 'reject' }),
    ]);
    const before = await place.state();
    expect(await refusedField(() => strict.check(good))).toBe('attributes.team');
    expect(await place.state()).toBe(before);
  });

  test('hostile but honest texts work, each on a counter of its own', async () => {
    const single = place.limiter([fixedWindow({ limit: 1, window: '365 days', per: ['subject'] })]);
    const subjects = [
      'a',
      'a\u0000',
      '\u0000',
      '\u0000a',
      '{a}',
      '{a',
      'a}',
      '}{',
      'a:b',
      ':',
      '1:a',
      ' ',
      'a ',
      '\n',
      '-',
      'null',
      'undefined',
      '__proto__',
      'constructor',
      'toString',
      '\u00e9',
      'e\u0301',
      '\u0430',
      '\u212b',
      '\u00c5',
      '😀',
      '\u200b',
      'x'.repeat(1024),
      `y${'x'.repeat(1023)}`,
    ];
    for (const subject of subjects) {
      const decision = await single.check({ ...good, subject });
      expect([subject, decision.allowed, decision.basis]).toEqual([subject, true, 'exact']);
    }
    for (const subject of subjects) {
      const decision = await single.check({ ...good, subject });
      expect([subject, decision.allowed]).toEqual([subject, false]);
    }
  });

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
    'a limit may be about %s',
    async (word) => {
      const odd = place.limiter([
        fixedWindow({
          name: word,
          unit: word,
          limit: 10,
          window: '365 days',
          per: ['subject', `attributes.${word}`],
        }),
      ]);
      const ask = (more: Partial<Check>) => odd.check({ ...good, ...more });
      const used = async (more: Partial<Check>) => (await ask(more)).limits[0]?.used;
      expect(await used({ cost: 0 })).toBe(0);
      expect(await used({})).toBe(0);
      expect(await used({ costs: {} })).toBe(0);
      expect(await used({ costs: { other: 5 } })).toBe(0);
      expect(await used({ costs: { [word]: 4 } })).toBe(4);
      expect(await used({ costs: { [word]: 4 }, attributes: { [word]: 'a' } })).toBe(4);
      expect(await used({ costs: { [word]: 4 }, attributes: { other: 'a' } })).toBe(8);
      const reserve = { ttlMs: 60_000 };
      const held = await ask({ costs: { [word]: 2 }, reserve });
      const id = held.reservation?.id ?? '';
      expect(await odd.settle(id, {})).toMatchObject({ kind: 'settled', late: false, debt: 0 });
      expect(await used({})).toBe(10);
      const back = await ask({ attributes: { [word]: 'b' }, costs: { [word]: 3 } });
      expect(await odd.refund(back, { costs: { other: 1 } })).toBe(false);
      expect(await odd.refund(back, { costs: { [word]: 1 } })).toBe(true);
      expect(await used({ attributes: { [word]: 'b' } })).toBe(2);
    },
  );
});

test('the synchronous path refuses the same', async () => {
  const limiter = createLimiter({ limits: everyLimit });
  for (const [field, change] of rows) {
    const check: Check = untyped({ ...good, ...change });
    expect(await refusedField(() => limiter.checkSync(check))).toBe(field);
  }
  const { limits } = limiter.checkSync({ ...good, cost: 0 });
  expect(limits.map(({ used }) => used)).toEqual([0, 0, 0, 0, 0, 0]);
});
