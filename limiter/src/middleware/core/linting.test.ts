import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedWindow } from '../../limiter/limits.ts';
import { rateLimit, type FetchRateLimitOptions } from '../fetch/index.ts';

const ok = () => new Response('ok');
let window = 0;

/** Other limits each time: what was told of once is not told of again. */
function optionsOf(more: Partial<FetchRateLimitOptions> = {}): FetchRateLimitOptions {
  window += 1;
  const limits = [fixedWindow({ limit: 100, window: `${window} min` })];
  return { limits, by: { route: true }, ...more };
}

describe('in development', () => {
  const told: string[] = [];
  beforeEach(() => {
    vi.stubEnv('NODE_ENV', 'development');
    vi.spyOn(process, 'emitWarning').mockImplementation((warning, options) => {
      told.push(`${(options as { code: string }).code} ${String(warning)}`);
    });
  });
  afterEach(() => {
    told.length = 0;
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('a mistake among the options is told of once', () => {
    const mistaken = () => rateLimit(optionsOf({ routes: { 'POST /once': {} } }), ok);
    mistaken();
    mistaken();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^SL007 routes\["POST \/once"\]: never matches/);
  });

  it('a limiter that is made for every request is told of', () => {
    const options = optionsOf();
    for (let request = 0; request < 9; request += 1) rateLimit(options, ok);
    expect(told).toEqual([]);
    rateLimit(options, ok);
    expect(told.join()).toMatch(/^SL001 limits: .*outside of handlers/);
  });

  it('what requests bring to light is told of', async () => {
    const handler = rateLimit(
      { ...optionsOf(), by: { ip: true }, peer: () => '10.0.0.1' } satisfies FetchRateLimitOptions,
      ok,
    );
    await handler(new Request('http://localhost/', { headers: { 'x-forwarded-for': '6.6.6.6' } }));
    const keyed = rateLimit(optionsOf({ by: { user: () => 'undefined' }, onMissing: 'skip' }), ok);
    await keyed(new Request('http://localhost/'));
    expect(told.map((line) => line.slice(0, 5))).toEqual(['SL002', 'SL004']);
  });

  it('two sets of limits under one name in one Redis are told of', () => {
    const never = () => new Promise<never>(() => {});
    const redis = { evalsha: never, eval: never };
    rateLimit(optionsOf({ redis, name: 'api' }), ok);
    expect(told).toEqual([]);
    rateLimit(optionsOf({ redis, name: 'api' }), ok);
    expect(told.join()).toMatch(/^SL006 name: other limits count as "api"/);
  });

  it.each(['production', 'test'])('nothing is told in %s', (mode) => {
    vi.stubEnv('NODE_ENV', mode);
    rateLimit(optionsOf({ routes: { [`POST /${mode}`]: {} } }), ok);
    expect(told).toEqual([]);
  });
});
