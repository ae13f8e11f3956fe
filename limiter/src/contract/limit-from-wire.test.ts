import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../core/errors.ts';
import type { LimitInput } from '../core/limit-input.ts';
import { parseLimit } from '../core/parse-limit.ts';
import { libraryNames, listOwn } from './limit-fields.ts';
import { canonicalLimit, limitFromWire } from './limit-from-wire.ts';

const good = {
  token_bucket: { bucket_capacity: 100, refill_rate_per_sec: 0.5 },
  fixed_window: { limit: 10, window_seconds: 60, align: 'first_request' },
  sliding_window_log: { limit: 10, window_seconds: 1.5 },
  sliding_window_counter: { limit: 10, window_seconds: 60 },
  concurrency: { max_concurrent: 5, stale_after_seconds: 30 },
  quota: { limit: 1000, period: 'month', anchor: 31, timezone: 'Europe/Berlin' },
} as const;
type Algorithm = keyof typeof good;
const algorithms = Object.keys(good) as Algorithm[];

const every = {
  name: 'a',
  unit: 'tokens',
  per: ['key', 'attributes.team'],
  on_missing: 'reject',
  mode: 'warn',
  on_store_failure: 'closed',
  block_for_seconds: 1,
  block_growth: 2,
  block_max_seconds: 60,
} as const;

function wireOf(algorithm: Algorithm, change: object = {}): object {
  return { algorithm, ...good[algorithm], ...change };
}

/** What the error says; throws one that is too long or speaks the library's words. */
function problemOf(wire: unknown, field = 'limits[0]'): string {
  try {
    limitFromWire(wire, field);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    if (libraryWords.test(error.message) || error.message.length > 500) throw error;
    return error.message;
  }
  return 'none';
}

const libraryWords = new RegExp(
  Object.values(libraryNames)
    .filter((name) => /[A-Z]/.test(name))
    .join('|'),
);

describe('a limit of the API', () => {
  it.each<[Algorithm, LimitInput]>([
    ['token_bucket', { algorithm: 'token_bucket', capacity: 100, refillPerSecond: 0.5 }],
    [
      'fixed_window',
      { algorithm: 'fixed_window', limit: 10, window: '60 s', align: 'first_request' },
    ],
    ['sliding_window_log', { algorithm: 'sliding_window_log', limit: 10, window: '1.5 s' }],
    ['sliding_window_counter', { algorithm: 'sliding_window_counter', limit: 10, window: '60 s' }],
    ['concurrency', { algorithm: 'concurrency', maxConcurrent: 5, staleAfter: '30 s' }],
    [
      'quota',
      { algorithm: 'quota', limit: 1000, period: 'month', anchor: 31, timezone: 'Europe/Berlin' },
    ],
  ])('is one of the library: %s', (algorithm, input) => {
    expect(limitFromWire(wireOf(algorithm), 'l')).toEqual({ name: algorithm, ...input });
    expect(limitFromWire(wireOf(algorithm, every), 'l')).toEqual({
      ...input,
      name: 'a',
      unit: 'tokens',
      per: ['key', 'attributes.team'],
      onMissing: 'reject',
      mode: 'warn',
      onStoreFailure: 'closed',
      blockFor: '1 s',
      blockGrowth: 2,
      blockMax: '60 s',
    });
  });

  it.each([0.000001, 0.1, 1.001, 59.999999, 86_400, 316_224_000])(
    'lasts exactly the seconds it says: %d',
    (seconds) => {
      const input = limitFromWire(wireOf('fixed_window', { window_seconds: seconds }), 'l');
      const limit = parseLimit(input, { definedBy: 'test', field: 'l' });
      expect(limit?.numbers).toMatchObject({ windowUs: Math.round(seconds * 1e6) });
    },
  );

  it('takes other words for an algorithm and for modes', () => {
    const wire = { algorithm: 'sliding_window', limit: 5, window_seconds: 1 };
    expect(limitFromWire(wire, 'l').algorithm).toBe('sliding_window_log');
    expect(limitFromWire({ ...wire, mode: 'on' }, 'l').mode).toBe('enforce');
    expect(limitFromWire({ ...wire, mode: 'monitor' }, 'l').mode).toBe('shadow');
    expect(limitFromWire({ ...wire, mode: 'off' }, 'l').mode).toBe('off');
  });

  it('may say what is the default of things to come', () => {
    const said = { security: false, adaptive: false, consistency: 'exact' };
    expect(canonicalLimit(wireOf('token_bucket', said), 'l')).toEqual({
      name: 'token_bucket',
      ...wireOf('token_bucket'),
    });
  });
});

describe('the form it is stored in', () => {
  it('has a name, one order and one word for each idea, and no defaults', () => {
    const wire = { mode: 'monitor', window_seconds: 60, limit: 5, algorithm: 'sliding_window' };
    expect(JSON.stringify(canonicalLimit(wire, 'l'))).toBe(
      '{"name":"sliding_window_log","algorithm":"sliding_window_log","limit":5,"window_seconds":60,"mode":"shadow"}',
    );
  });

  it('keeps the resources it applies to, which the library does not know', () => {
    const wire = wireOf('quota', { resources: ['POST:/search', 'GET:/orders/*'] });
    expect(canonicalLimit(wire, 'l').resources).toEqual(['POST:/search', 'GET:/orders/*']);
    expect(limitFromWire(wire, 'l')).not.toHaveProperty('resources');
  });

  it.each(algorithms)('is its own canonical form: %s', (algorithm) => {
    const canonical = canonicalLimit(wireOf(algorithm, every), 'l');
    expect(canonicalLimit(canonical, 'l')).toEqual(canonical);
    expect(canonicalLimit(JSON.parse(JSON.stringify(canonical)), 'l')).toEqual(canonical);
  });
});

describe.each(algorithms)('%s', (algorithm) => {
  it.each(
    Object.keys(good[algorithm]).filter((name) => !['align', 'anchor', 'timezone'].includes(name)),
  )('needs its %s', (name) => {
    const problem = problemOf(wireOf(algorithm, { [name]: undefined }));
    expect(problem).toBe(`limits[0].${name}: is required by ${algorithm}`);
  });

  const own: readonly string[] = listOwn(algorithm);
  const others = [...new Set(algorithms.flatMap((other) => listOwn(other)))];
  it.each(others.filter((name) => !own.includes(name)))('refuses the %s of others', (name) => {
    const problem = problemOf(wireOf(algorithm, { [name]: 1 }));
    expect(problem).toMatch(new RegExp(`^limits\\[0\\]\\.${name}: belongs to .*; leave it out`));
    expect(problem).toContain(`${algorithm} takes ${own.join(', ')}`);
  });

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    bucket_capacity: [0, -1, 1.5, '5', null, 2 ** 53, NaN],
    refill_rate_per_sec: [0, -1, 1e-7, 0.0000011, '5', null, 1e21, Infinity],
    limit: [0, 1.5, '5', null, 2 ** 53, {}],
    window_seconds: [0, -1, 1e-7, 1.0000001, '60', '60 s', null, 316_224_001, []],
    align: ['start', 1, null],
    max_concurrent: [0, 100_001, 1.5, '5', null],
    stale_after_seconds: [0, -1, '30', null, 1e10],
    period: ['fortnight', 5, null],
    anchor: [32, 'soon', '2026-02-30', null, {}],
    timezone: ['Mars/Base', 5, null],
    name: ['', 'a b', 'x'.repeat(65), 5, null],
    unit: ['', 'a b', 5, null],
    per: ['tenant', [], ['team'], ['tenant', 'tenant'], ['attributes.'], null, [null]],
    on_missing: ['ignore', null],
    mode: ['enforced', null, 1],
    on_store_failure: ['ajar', null],
    consistency: ['eventual', null],
    block_for_seconds: [0, -1, '5', 1e-7, null, 1e10],
    block_growth: [0.5, 101, 1.0001, '2', null],
    block_max_seconds: [0, 0.5, '5', null],
    resources: [[], 'GET:/', [5], [''], Array.from({ length: 65 }, () => 'a'), null],
    when: [[], {}, 'beta', { feature: ['beta'] }, { 'attributes.a b': ['x'] }, null],
    share_of: [5, {}, { limit: 'a' }, { limit: 'a', ratio: 0 }, { limit: 'a', ratio: 1.5 }, null],
    backpressure: [0.8, { from: 1 }, { from: -1 }, { max_delay_ms: 10_001 }, { curve: 'up' }, null],
    security: [1, 'yes', null],
    confirm: [1, 'yes', null],
  };
  const mine = Object.entries(wrong).filter(
    ([name]) => own.includes(name) || !others.includes(name as never),
  );
  it.each(
    mine.flatMap(([name, values]) => values.map((value): [string, unknown] => [name, value])),
  )('names %s when it is %j', (name, value) => {
    const blocked = name.startsWith('block_') ? { block_for_seconds: 1 } : {};
    const problem = problemOf(wireOf(algorithm, { ...blocked, [name]: value }));
    expect(problem).toMatch(new RegExp(`^limits\\[0\\]\\.${name}(\\[0\\]|\\.[\\w. ]+)?: `));
  });

  it.each(['block_growth', 'block_max_seconds'])('names %s without a penalty', (name) => {
    const problem = problemOf(wireOf(algorithm, { [name]: 2 }));
    expect(problem).toBe(`limits[0].${name}: needs block_for_seconds`);
  });

  it.each([
    ['priority', 0],
    ['adaptive', 'search'],
    ['consistency', 'leased'],
  ])('says that %s is to come', (name, value) => {
    const problem = problemOf(wireOf(algorithm, { [name]: value }));
    expect(problem).toMatch(new RegExp(`^limits\\[0\\]\\.${name}: .*is not supported yet`));
  });
});

describe('what is no limit', () => {
  it.each([null, undefined, 5, 'token_bucket', [], true])('is refused: %j', (wire) => {
    expect(problemOf(wire)).toMatch(/^limits\[0\]: must be an object/);
  });

  it.each([{}, { algorithm: 'leaky' }, { algorithm: 5 }, { algorithm: 'constructor' }])(
    'has no algorithm of ours: %j',
    (wire) => {
      expect(problemOf(wire)).toMatch(/^limits\[0\]\.algorithm: must be one of/);
    },
  );

  it('names a field we never heard of, those of the library and of every object included', () => {
    for (const name of ['windowSeconds', 'capacity', 'refill', 'constructor', '__proto__']) {
      const wire = JSON.parse(
        `{"algorithm":"fixed_window","limit":1,"window_seconds":1,"${name}":1}`,
      );
      expect(problemOf(wire)).toMatch(new RegExp(`^limits\\[0\\]\\.${name}: is not known here`));
    }
    expect(problemOf(wireOf('quota', { ['x'.repeat(10_000)]: 1 }))).toContain('…');
  });

  it('names it at the root too', () => {
    expect(problemOf({ ...wireOf('quota'), limit: 0 }, '')).toMatch(/^limit: /);
    expect(problemOf({ ...wireOf('quota'), period: undefined }, '')).toMatch(/^period: /);
    expect(problemOf({ ...wireOf('quota'), nope: 1 }, '')).toMatch(/^nope: /);
  });

  it('is one whose numbers are too large together', () => {
    const wide = { limit: 10_001 };
    expect(problemOf(wireOf('sliding_window_log', wide))).toContain('use sliding_window_counter');
    const slow = { bucket_capacity: 2 ** 50, refill_rate_per_sec: 0.000001 };
    expect(problemOf(wireOf('token_bucket', slow))).toMatch(/^limits\[0\]\.bucket_capacity: /);
    const odd = { window_seconds: 3600.0005 };
    expect(problemOf(wireOf('sliding_window_counter', odd))).toMatch(
      /^limits\[0\]\.window_seconds: above an hour must be whole milliseconds/,
    );
    const short = { block_for_seconds: 10, block_max_seconds: 5 };
    expect(problemOf(wireOf('quota', short))).toBe(
      'limits[0].block_max_seconds: must not be shorter than block_for_seconds',
    );
  });
});
