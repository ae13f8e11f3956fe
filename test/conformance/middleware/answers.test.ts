import { expect, it } from 'vitest';
import { createLimiter, fixedWindow, MemoryEngine, StoreFailure } from 'sluice';
import { inEveryFramework, ok, statuses, type Handler } from './rig.ts';

const two = fixedWindow({ name: 'two', limit: 2, window: '1 min' });

inEveryFramework('what a caller is told', ({ clock, serve }) => {
  const limits = { limits: [two], clock: clock.read };

  it('is what remains, and when refused why and how long to wait', async () => {
    const ask = await serve({ limits: () => limits, routes: { 'GET /a': ok } });
    const first = await ask('/a');
    expect(first.text).toBe('ok');
    expect(first.headers.get('x-ratelimit-limit')).toBe('2');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(first.headers.get('retry-after')).toBe('0');
    expect(first.headers.get('ratelimit-policy')).toBe('"two";q=2;w=60');
    await ask('/a');
    const refused = await ask('/a');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.json).toMatchObject({
      status: 429,
      code: 'rate_limited',
      reason: 'exceeded',
      limit: 'two',
    });
  });

  it.each([
    [
      'ietf',
      ['ratelimit', 'ratelimit-policy', 'retry-after'],
      ['x-ratelimit-limit', 'ratelimit-limit'],
    ],
    [
      'trio',
      ['ratelimit-limit', 'ratelimit-reset', 'retry-after'],
      ['x-ratelimit-limit', 'ratelimit-policy'],
    ],
    ['none', [], ['ratelimit', 'retry-after', 'x-ratelimit-limit']],
  ] as const)('is spelled by profile: %s', async (profile, present, absent) => {
    const ask = await serve({
      limits: () => ({ ...limits, headers: profile }),
      routes: { 'GET /a': ok },
    });
    const { headers } = await ask('/a');
    for (const name of present) expect(headers.has(name), name).toBe(true);
    for (const name of absent) expect(headers.has(name), name).toBe(false);
  });

  it('is what the program says instead', async () => {
    const ask = await serve({
      limits: () => ({
        ...limits,
        onRefused: (_request, { decision }) => ({
          status: 503,
          body: { sorry: decision.blockedBy?.limit },
        }),
      }),
      routes: { 'GET /a': ok },
    });
    await statuses(ask, '/a', '/a');
    const refused = await ask('/a');
    expect([refused.status, refused.json]).toEqual([503, { sorry: 'two' }]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
  });

  it('comes with the error of a handler too', async () => {
    const fails: Handler = () => {
      throw new Error('broken');
    };
    const ask = await serve({ limits: () => limits, routes: { 'GET /a': fails } });
    const answer = await ask('/a');
    expect(answer.status).toBe(500);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('1');
  });
});

inEveryFramework('the mode', ({ clock, serve }) => {
  it('is read on every request: off, shadow, warn, enforce', async () => {
    let mode: 'off' | 'shadow' | 'warn' | 'enforce' = 'shadow';
    const seen: unknown[] = [];
    const ask = await serve({
      limits: () => ({ limits: [two], clock: clock.read, mode: async () => mode }),
      routes: {
        'GET /a': ({ rateLimit }) => ({ body: String(seen.push(rateLimit()?.wouldRefuse)) }),
      },
    });
    for (let call = 0; call < 3; call += 1) {
      const answer = await ask('/a');
      expect(answer.status).toBe(200);
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
    }
    mode = 'warn';
    const warned = await ask('/a');
    expect(warned.status).toBe(200);
    expect(warned.headers.get('x-ratelimit-warning')).toContain('two: 2');
    expect(warned.headers.has('retry-after')).toBe(false);
    mode = 'enforce';
    expect((await ask('/a')).status).toBe(429);
    mode = 'off';
    expect((await ask('/a')).headers.has('x-ratelimit-limit')).toBe(false);
    expect(seen).toEqual([false, false, true, true, undefined]);
  });
});

inEveryFramework('a store that fails', ({ serve }) => {
  const gone = () =>
    Object.assign(new MemoryEngine(), { decide: () => Promise.reject(new StoreFailure('gone')) });
  const limiterOf = (onStoreFailure: 'open' | 'closed') =>
    createLimiter({ engine: gone(), limits: [{ ...two, onStoreFailure }] });

  it('lets through where limits fail open, and the reason is on the request', async () => {
    const ask = await serve({
      limits: () => ({ limiter: limiterOf('open') }),
      routes: {
        'GET /a': ({ rateLimit }) => ({
          body: `${rateLimit()?.basis} ${rateLimit()?.degradedReason}`,
        }),
      },
    });
    const answer = await ask('/a');
    expect([answer.status, answer.text]).toEqual([200, 'fail_open gone']);
  });

  it('refuses where they fail closed, and is never mistaken for a limit', async () => {
    const ask = await serve({
      limits: () => ({ limiter: limiterOf('closed') }),
      routes: { 'GET /a': ok },
    });
    const answer = await ask('/a');
    expect([answer.status, answer.json['code']]).toEqual([429, 'unavailable']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('is no 5xx even where a limiter throws against its promise', async () => {
    const limiter = Object.assign(limiterOf('open'), {
      check: () => Promise.reject(new Error('surprise')),
    });
    const heard: unknown[] = [];
    const ask = await serve({
      limits: () => ({ limiter, onError: (error) => void heard.push(error) }),
      routes: { 'GET /a': ok },
    });
    expect((await ask('/a')).status).toBe(200);
    expect(String(heard[0])).toContain('surprise');
  });
});
