import { expect, test } from 'vitest';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  quota,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from 'sluice';
import { loneSurrogate, megabyte, refusedField, untyped } from './problem.ts';

const makers = {
  tokenBucket: { make: tokenBucket, good: { capacity: 10, refillPerSecond: 1 } },
  fixedWindow: { make: fixedWindow, good: { limit: 10, window: '1 min' } },
  slidingWindow: { make: slidingWindow, good: { limit: 10, window: '1 min' } },
  slidingWindowCounter: { make: slidingWindowCounter, good: { limit: 10, window: '1 min' } },
  concurrency: { make: concurrency, good: { maxConcurrent: 10, staleAfter: '1 min' } },
  quota: { make: quota, good: { limit: 10, period: 'month' } },
} as const;
type Maker = keyof typeof makers;
const names = Object.keys(makers) as Maker[];

function create(maker: Maker, change: Readonly<Record<string, unknown>>) {
  const { make, good } = makers[maker];
  const limit = make(untyped({ ...good, ...change }));
  return createLimiter({ limits: [limit] });
}

const notWhole: readonly unknown[] = [
  0,
  -1,
  -0,
  NaN,
  Infinity,
  -Infinity,
  1.5,
  2 ** 53,
  Number.MAX_VALUE,
  '10',
  '',
  null,
  true,
  [10],
  {},
  10n,
];
const notDuration: readonly unknown[] = [
  0,
  -1,
  NaN,
  Infinity,
  2 ** 53,
  Number.MAX_VALUE,
  0.0001,
  '',
  '10',
  'a while',
  '-1 s',
  '0 s',
  '1 month',
  '1 year',
  '0.1 us',
  '20000 weeks',
  '600 weeks',
  megabyte,
  null,
  true,
  {},
  ['1 s'],
];
const notName: readonly unknown[] = [
  '',
  ' ',
  'a b',
  'a:b',
  'a{b}',
  'a\u0000',
  '-a',
  '__proto__',
  'é',
  loneSurrogate,
  megabyte,
  5,
  null as unknown as undefined,
  {},
].filter((name) => name !== null);

type Row = readonly [maker: Maker, field: string, values: readonly unknown[]];

const rows: readonly Row[] = [
  ['tokenBucket', 'capacity', notWhole],
  [
    'tokenBucket',
    'refillPerSecond',
    [0, -1, NaN, Infinity, '1', null, 1e-7, 0.0000001, 1.1234567, 1e21, true],
  ],
  ['fixedWindow', 'limit', notWhole],
  ['fixedWindow', 'window', notDuration],
  ['fixedWindow', 'align', ['', 'calendar', 5, {}]],
  ['slidingWindow', 'limit', [...notWhole, 10_001]],
  ['slidingWindow', 'window', notDuration],
  ['slidingWindowCounter', 'limit', notWhole],
  ['slidingWindowCounter', 'window', [...notDuration, '3600.0001 s']],
  ['concurrency', 'maxConcurrent', [...notWhole, 100_001]],
  ['concurrency', 'staleAfter', notDuration],
  ['quota', 'limit', notWhole],
  ['quota', 'period', [undefined, '', 'decade', 'Month', 5, null, {}, '__proto__', 'constructor']],
  ['quota', 'anchor', [0, 32, 1.5, NaN, '2026-02-30', 'first', '', null, {}, true]],
  ['quota', 'timezone', ['', 'Mars/Olympus', 'EST5EDT4', '+25:00', 5, null, {}, megabyte]],
  ...names.flatMap((maker): Row[] => [
    [maker, 'name', notName],
    [maker, 'unit', notName],
    [maker, 'mode', ['', 'monitoring', 5, {}, 'constructor']],
    [maker, 'onMissing', ['', 'ignore', 5]],
    [maker, 'onStoreFailure', ['', 'fail', true]],
    [maker, 'blockFor', notDuration.filter((value) => value !== null)],
    [maker, 'blockGrowth', [2]],
    [maker, 'blockMax', ['1 min']],
    [
      maker,
      'per',
      [
        [],
        'subject',
        ['subject', 'subject'],
        ['user'],
        ['attributes'],
        ['attributes.'],
        ['attributes.a b'],
        ['attributes.__proto__'],
        ['attributes.a', 'attributes.a'],
        [null],
        [5],
        Array.from({ length: 9 }, (_, at) => `attributes.a${at}`),
        {},
        5,
      ],
    ],
  ]),
];

test.each(rows)('%s refuses a bad %s', async (maker, field, values) => {
  for (const value of values) {
    const refused = await refusedField(() => create(maker, { [field]: value }));
    expect({ value, refused }).toEqual({ value, refused: `limits[0].${field}` });
  }
});

test.each(names)('%s refuses what it does not know, and what another one does', async (maker) => {
  const strangers = names
    .flatMap((other) => Object.keys(makers[other].good))
    .filter((name) => !(name in makers[maker].good) && name !== 'refillPerSecond');
  for (const name of ['max', 'constructor', 'toString', 'Limit', ...strangers]) {
    const field = await refusedField(() => create(maker, { [name]: 5 }));
    expect(field).toBe(`limits[0].${name}`);
  }
  const long = await refusedField(() => create(maker, { ['x'.repeat(1_000_000)]: 5 }));
  expect(long.length).toBeLessThan(100);
  const own = JSON.parse('{"__proto__": 5}') as Record<string, unknown>;
  const limit = { ...makers[maker].make(makers[maker].good as never) };
  Object.defineProperty(limit, '__proto__', {
    ...Object.getOwnPropertyDescriptor(own, '__proto__'),
  });
  expect(await refusedField(() => createLimiter({ limits: [limit] }))).toBe('limits[0].__proto__');
});

test.each([
  ['refill.tokens', { tokens: 0, every: '1 s' }],
  ['refill.tokens', { tokens: 1.5, every: '1 s' }],
  ['refill.tokens', { tokens: '1', every: '1 s' }],
  ['refill.tokens', { every: '1 s' }],
  ['refill.every', { tokens: 1 }],
  ['refill.every', { tokens: 1, every: 0 }],
  ['refill.every', { tokens: 1, every: '1 month' }],
  ['refill.rate', { tokens: 1, every: '1 s', rate: 5 }],
])('a refill with a bad %s is refused', async (field, refill) => {
  const change = { refill, refillPerSecond: undefined };
  expect(await refusedField(() => create('tokenBucket', change))).toBe(`limits[0].${field}`);
});

test.each([null, 5, '1/s', true, []])('a refill of %j is refused', async (refill) => {
  const change = { refill, refillPerSecond: undefined };
  const field = await refusedField(() => create('tokenBucket', change));
  expect(field).toMatch(/^limits\[0\]\.refill/);
});

test('a rate is given in one way', async () => {
  const both = { refill: { tokens: 1, every: '1 s' } };
  expect(await refusedField(() => create('tokenBucket', both))).toBe('limits[0].refillPerSecond');
  const neither = { refillPerSecond: undefined };
  expect(await refusedField(() => create('tokenBucket', neither))).toBe(
    'limits[0].refillPerSecond',
  );
});

test.each([
  ['capacity', tokenBucket({ capacity: 2 ** 50, refillPerSecond: 0.000001 })],
  ['capacity', tokenBucket({ capacity: 2 ** 40, refillPerSecond: 0.3 })],
  ['capacity', tokenBucket({ capacity: 1_000_000, refill: { tokens: 1, every: '1 day' } })],
  ['refillPerSecond', tokenBucket({ capacity: 1, refillPerSecond: 1e20 })],
  ['limit', slidingWindowCounter({ limit: 2 ** 45, window: '1 h' })],
  ['limit', slidingWindowCounter({ limit: 2 ** 40, window: '365 days' })],
  ['limit', slidingWindow({ limit: 10_001, window: '1 s' })],
  ['blockMax', fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockMax: '1 s' })],
  ['blockGrowth', fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: 0.5 })],
  ['blockGrowth', fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: 101 })],
  ['blockGrowth', fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: 1.0001 })],
  ['blockGrowth', fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: NaN })],
  [
    'blockGrowth',
    fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: untyped('2') }),
  ],
  [
    'blockGrowth',
    fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: untyped([2]) }),
  ],
  [
    'blockGrowth',
    fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth: untyped(true) }),
  ],
  ['anchor', quota({ limit: 1, period: 'day', anchor: 5 })],
  ['anchor', quota({ limit: 1, period: 'week', anchor: 5 })],
  ['anchor', quota({ limit: 1, period: 'year', anchor: 5 })],
])('numbers that do not go together are refused for their %s', async (field, limit) => {
  expect(await refusedField(() => createLimiter({ limits: [limit] }))).toBe(`limits[0].${field}`);
});

test.each([1.1, 1.001, 1.005, 2.3, 4.035, 8.2, 99.999, 100])(
  'a penalty may grow by %d',
  (blockGrowth) => {
    createLimiter({
      limits: [fixedWindow({ limit: 1, window: '1 s', blockFor: '2 s', blockGrowth })],
    });
  },
);

const good = tokenBucket({ capacity: 10, refillPerSecond: 1 });

test.each([
  ['limits', {}],
  ['limits', { limits: null }],
  ['limits', { limits: good }],
  ['limits', { limits: 'all' }],
  ['limits[0]', { limits: [null] }],
  ['limits[0]', { limits: ['token_bucket'] }],
  ['limits[0]', { limits: Array.from({ length: 1 }) }],
  ['limits[0].algorithm', { limits: [{}] }],
  ['limits[0].algorithm', { limits: [{ ...good, algorithm: 'leaky_bucket' }] }],
  ['limits[0].algorithm', { limits: [{ ...good, algorithm: 'constructor' }] }],
  ['limits[0].algorithm', { limits: [[]] }],
  ['limits[1].name', { limits: [good, good] }],
  [
    'limits[1].name',
    {
      limits: [
        { ...good, name: 'a' },
        { ...good, name: 'a', unit: 'other' },
      ],
    },
  ],
  ['limits', { limits: Array.from({ length: 65 }, (_, at) => ({ ...good, name: `n${at}` })) }],
  ['limits', { limits: Array.from({ length: 10_000 }, (_, at) => ({ ...good, name: `n${at}` })) }],
  ['name', { limits: [good], name: '' }],
  ['name', { limits: [good], name: 'a:b' }],
  ['name', { limits: [good], name: megabyte }],
  ['name', { limits: [good], name: 5 }],
  ['limit', { limits: [good], limit: 5 }],
  ['constructor', { limits: [good], constructor: 5 }],
  ['countersMax', { limits: [good], countersMax: 0 }],
  ['countersMax', { limits: [good], countersMax: 1.5 }],
  ['countersMax', { limits: [good], countersMax: '5' }],
  ['countersMax', { limits: [good], countersMax: 2 ** 53 }],
  ['clock', { limits: [good], clock: 5 }],
  ['clock', { limits: [good], clock: null }],
  ['redis', { limits: [good], redis: undefined }],
  ['redis', { limits: [good], redis: null }],
  ['redis', { limits: [good], redis: 'redis://127.0.0.1' }],
  ['redis', { limits: [good], redis: {} }],
  ['engine', { limits: [good], engine: undefined }],
  ['engine', { limits: [good], engine: null }],
  ['engine', { limits: [good], engine: {} }],
  ['secret', { limits: [good], redis: { evalsha: () => {}, eval: () => {} }, secret: 5 }],
  ['secret', { limits: [good], redis: { evalsha: () => {}, eval: () => {} }, secret: null }],
  ['deadlineMs', { limits: [good], redis: { evalsha: () => {}, eval: () => {} }, deadlineMs: 0 }],
  ['deadlineMs', { limits: [good], redis: { evalsha: () => {}, eval: () => {} }, deadlineMs: NaN }],
  ['deadlineMs', { limits: [good], redis: { evalsha: () => {}, eval: () => {} }, deadlineMs: '9' }],
  ['deadlineMs', { limits: [good], redis: { evalsha: () => {}, eval: () => {} }, deadlineMs: 1e9 }],
  ['options', undefined],
  ['options', null],
  ['options', 5],
  ['options', 'limits'],
])('a limiter with a bad %s is refused (%#)', async (field, options) => {
  expect(await refusedField(() => createLimiter(untyped(options)))).toBe(field);
});

test('a limit that is off is held to the same rules', async () => {
  const field = await refusedField(() => create('fixedWindow', { mode: 'off', limit: -1 }));
  expect(field).toBe('limits[0].limit');
});

test('the largest that is allowed works', () => {
  const limits = [
    tokenBucket({ name: 'a', capacity: 2 ** 30, refillPerSecond: 700_000 }),
    tokenBucket({ name: 'b', capacity: 1, refill: { tokens: 1, every: '3650 days' } }),
    fixedWindow({ name: 'c', limit: 2 ** 50, window: '3650 days' }),
    slidingWindow({ name: 'd', limit: 10_000, window: '3650 days' }),
    slidingWindowCounter({ name: 'e', limit: 2 ** 15, window: '365 days' }),
    concurrency({ name: 'f', maxConcurrent: 100_000, staleAfter: '3650 days' }),
    quota({
      name: 'g',
      limit: 2 ** 50,
      period: 'year',
      anchor: '2024-02-29',
      timezone: 'Asia/Tokyo',
    }),
  ];
  const limiter = createLimiter({ limits });
  const decision = limiter.checkSync({ resource: 'r', subject: 's' });
  expect(decision.allowed).toBe(true);
  expect(decision.limits.map(({ used }) => used)).toEqual([1, 1, 1, 1, 1, 1, 1]);
});
