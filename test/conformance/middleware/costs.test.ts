import { expect, it } from 'vitest';
import { createLimiter, fixedWindow, tokenBucket } from 'sluice';
import { inEveryFramework, ok, statuses } from './rig.ts';

inEveryFramework('what a call costs', ({ clock, serve }) => {
  const requests = fixedWindow({ name: 'requests', limit: 10, window: '1 min' });
  const elements = fixedWindow({ name: 'elements', unit: 'elements', limit: 100, window: '1 min' });

  it('is a number or a function of the request, which may take its time', async () => {
    const ask = await serve({
      limits: (read) => ({
        limits: [requests, elements],
        clock: clock.read,
        cost: async (request) => Number(read.header(request, 'x-cost') ?? 1),
        costs: (request) => ({ elements: Number(read.header(request, 'x-elements') ?? 0) }),
      }),
      routes: { 'GET /a': ok },
    });
    const asks = (cost: number, count = 0) =>
      ask('/a', { headers: { 'x-cost': String(cost), 'x-elements': String(count) } });
    expect((await asks(4)).headers.get('x-ratelimit-remaining')).toBe('6');
    expect((await asks(7)).status).toBe(429);
    expect((await asks(1, 90)).headers.get('x-ratelimit-remaining')).toBe('10');
    const impossible = await asks(1, 101);
    expect([impossible.status, impossible.json['reason']]).toEqual([429, 'impossible']);
    expect(impossible.headers.has('retry-after')).toBe(false);
  });

  it('is nothing for who is skipped', async () => {
    const ask = await serve({
      limits: (read) => ({
        limits: [fixedWindow({ limit: 1, window: '1 min' })],
        clock: clock.read,
        skip: async (request) => read.header(request, 'x-monitor') !== undefined,
      }),
      routes: { 'GET /a': ok },
    });
    const monitor = { headers: { 'x-monitor': 'yes' } };
    for (let call = 0; call < 3; call += 1) expect((await ask('/a', monitor)).status).toBe(200);
    expect(await statuses(ask, '/a', '/a')).toEqual([200, 429]);
  });

  it('is under the limits of its route too, all in one step', async () => {
    const ask = await serve({
      limits: () => ({
        limits: [requests],
        clock: clock.read,
        routes: {
          'GET:/search': { limits: [fixedWindow({ name: 'search', limit: 2, window: '1 min' })] },
        },
      }),
      routes: { 'GET /search': ok, 'GET /a': ok },
    });
    expect(await statuses(ask, '/search', '/search')).toEqual([200, 200]);
    const refused = await ask('/search');
    expect([refused.status, refused.json['limit']]).toEqual([429, 'search']);
    // A refusal by one charges none of them.
    expect(refused.headers.get('ratelimit')).toContain('"requests";r=8');
  });

  it('is under the plan that the caller is on, and usage stays when that changes', async () => {
    const per = (limit: number) => [fixedWindow({ name: 'calls', limit, window: '1 min' })];
    const ask = await serve({
      limits: (read) => ({
        plans: { free: per(1), pro: per(3) },
        plan: (request) => read.header(request, 'x-plan') ?? 'free',
        clock: clock.read,
      }),
      routes: { 'GET /a': ok },
    });
    const on = (plan: string) => ask('/a', { headers: { 'x-plan': plan } });
    expect((await on('free')).status).toBe(200);
    expect((await on('free')).status).toBe(429);
    expect((await on('pro')).headers.get('x-ratelimit-remaining')).toBe('1');
    expect((await on('nowhere')).status).toBe(500);
  });

  it('counts once for a retry under its idempotency key', async () => {
    const ask = await serve({
      limits: (read) => ({
        limits: [requests],
        clock: clock.read,
        idempotencyKey: true,
        cost: (request) => Number(read.header(request, 'x-cost') ?? 1),
      }),
      routes: { 'POST /a': ok },
    });
    const retry = (key: string, cost = 1) =>
      ask('/a', { method: 'POST', headers: { 'idempotency-key': key, 'x-cost': String(cost) } });
    await retry('"order-0001"');
    expect((await retry('order-0001')).headers.get('x-ratelimit-remaining')).toBe('9');
    const other = await retry('order-0001', 2);
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency_conflict']);
    const bad = await retry('?');
    expect([bad.status, bad.json['code']]).toEqual([400, 'invalid_idempotency_key']);
  });
});

inEveryFramework('several decisions about one request', ({ clock, serve }) => {
  const wide = tokenBucket({ name: 'wide', capacity: 100, refillPerSecond: 1 });
  const narrow = fixedWindow({ name: 'narrow', limit: 4, window: '1 min' });

  it('are told of together: the strictest shown, the items of all', async () => {
    const ask = await serve({
      limits: () => [
        { limits: [wide], clock: clock.read },
        { limits: [narrow], clock: clock.read },
      ],
      routes: { 'GET /a': ({ rateLimit }) => ({ body: String(rateLimit()?.decisions.length) }) },
    });
    const { headers, text } = await ask('/a');
    expect(text).toBe('2');
    expect(headers.get('x-ratelimit-limit')).toBe('4');
    expect(headers.get('ratelimit-policy')).toBe('"narrow";q=4;w=60, "wide";q=100;w=100');
    expect(headers.get('ratelimit')).toBe('"narrow";r=3;t=60, "wide";r=99;t=99');
    for (let call = 0; call < 3; call += 1) await ask('/a');
    expect((await ask('/a')).status).toBe(429);
  });

  it('are made by the handler as well, once it knows what it costs', async () => {
    const limiter = createLimiter({
      limits: [
        wide,
        fixedWindow({ name: 'elements', unit: 'elements', limit: 50, window: '1 min' }),
      ],
      clock: clock.read,
    });
    const ask = await serve({
      limits: () => ({ limiter }),
      routes: {
        'POST /matrix': async ({ header, limit }) => {
          const result = await limit({ costs: { elements: Number(header('x-elements')) } });
          return result.allowed ? { body: 'computed' } : result.refuse();
        },
      },
    });
    const compute = (elements: number) =>
      ask('/matrix', { method: 'POST', headers: { 'x-elements': String(elements) } });
    const first = await compute(30);
    expect([first.status, first.text]).toEqual([200, 'computed']);
    expect(first.headers.get('x-ratelimit-limit')).toBe('50');
    expect(first.headers.get('ratelimit')).toContain('"wide";r=99');
    const refused = await compute(30);
    expect([refused.status, refused.json['limit']]).toEqual([429, 'elements']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await compute(20)).status).toBe(200);
  });

  it('are made on limits of the handler alone, which charge no other', async () => {
    const ask = await serve({
      limits: () => ({ limits: [wide], clock: clock.read }),
      routes: {
        'GET /a': async ({ limit }) => {
          const result = await limit({ limits: [narrow], cost: 2 });
          return result.allowed ? { body: 'ok' } : result.refuse();
        },
      },
    });
    expect(await statuses(ask, '/a', '/a')).toEqual([200, 200]);
    const refused = await ask('/a');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toContain('"wide";r=97');
  });
});
