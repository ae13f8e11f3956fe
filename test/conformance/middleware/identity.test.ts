import { expect, it } from 'vitest';
import { fixedWindow } from 'sluice';
import { byRoute } from '../../../limiter/src/middleware/core/index.ts';
import { asUser, inEveryFramework, ok, statuses } from './rig.ts';

const two = [fixedWindow({ limit: 2, window: '1 min' })];

inEveryFramework('what is counted', ({ clock, serve }) => {
  const limits = { limits: two, clock: clock.read };

  it('is the route by its template, never the path that a caller invents', async () => {
    const ask = await serve({
      limits: () => limits,
      routes: { 'GET /orders/:id': ok, 'GET /other': ok },
    });
    expect(await statuses(ask, '/orders/1', '/orders/2?x=1', '/orders/3')).toEqual([200, 200, 429]);
    expect((await ask('/other')).status).toBe(200);
  });

  it('are all calls to no route together', async () => {
    const ask = await serve({ limits: () => limits, routes: { 'GET /here': ok } });
    expect(await statuses(ask, '/a')).toEqual([404]);
    expect((await ask('/b/c', { method: 'POST' })).status).toBe(404);
    expect(await statuses(ask, '/d')).toEqual([429]);
    expect((await ask('/here')).status).toBe(200);
  });

  it('is HEAD as GET', async () => {
    const ask = await serve({ limits: () => limits, routes: { 'GET /here': ok } });
    expect((await ask('/here', { method: 'HEAD' })).status).toBe(200);
    expect(await statuses(ask, '/here', '/here')).toEqual([200, 429]);
  });

  it('is each method by itself', async () => {
    const ask = await serve({
      limits: () => limits,
      routes: { 'GET /here': ok, 'POST /here': ok },
    });
    expect(await statuses(ask, '/here', '/here', '/here')).toEqual([200, 200, 429]);
    expect((await ask('/here', { method: 'POST' })).status).toBe(200);
  });

  it('is the user whom authentication found, wherever it calls from', async () => {
    const ask = await serve({
      limits: (read) => ({ ...limits, by: { user: read.user } }),
      routes: { 'GET /a': ok, 'GET /b': ok },
    });
    const calls = [];
    for (const path of ['/a', '/b', '/a']) calls.push((await ask(path, asUser('ann'))).status);
    expect(calls).toEqual([200, 200, 429]);
    expect((await ask('/a', asUser('bob'))).status).toBe(200);
  });

  it('is the route alone for webhooks', async () => {
    const ask = await serve({
      limits: () => ({ ...limits, by: byRoute }),
      routes: { 'POST /hook': ok, 'POST /other': ok },
    });
    const from = (address: string) => ({ method: 'POST', headers: { 'x-forwarded-for': address } });
    expect((await ask('/hook', from('203.0.113.1'))).status).toBe(200);
    expect((await ask('/hook', from('203.0.113.2'))).status).toBe(200);
    expect((await ask('/hook', from('203.0.113.3'))).status).toBe(429);
    expect((await ask('/other', from('203.0.113.3'))).status).toBe(200);
  });

  it('is never what a caller says of its address, unless a proxy is trusted', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const naive = await serve({ limits: () => limits, routes: { 'GET /a': ok } });
    for (const last of ['1', '2']) await naive('/a', from(`203.0.113.${last}`));
    expect((await naive('/a', from('203.0.113.3'))).status).toBe(429);

    const proxied = await serve({
      limits: () => ({ ...limits, trustProxy: ['127.0.0.0/8'] }),
      routes: { 'GET /a': ok },
    });
    for (const last of ['1', '2', '3']) {
      expect((await proxied('/a', from(`203.0.113.${last}`))).status).toBe(200);
    }
    // Only what the proxy added counts; what stands before it may be the caller's invention.
    await proxied('/a', from('198.51.100.7, 203.0.113.1'));
    expect((await proxied('/a', from('192.0.2.1, 203.0.113.1'))).status).toBe(429);
  });

  it('is nobody by accident: a missing part is an error that says what to do', async () => {
    const ask = await serve({
      limits: (read) => ({ ...limits, by: { user: (request) => String(read.user(request)) } }),
      routes: { 'GET /a': ok },
    });
    const answer = await ask('/a');
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('by.user: is absent for this request');
    expect((await ask('/a', asUser('ann'))).status).toBe(200);
  });

  it.each([
    ['ip', [200, 200, 429]],
    ['shared', [200, 200, 429]],
    ['skip', [200, 200, 200]],
  ] as const)('is by declaration who has no user: %s', async (onMissing, expected) => {
    const ask = await serve({
      limits: (read) => ({ ...limits, onMissing, by: { user: read.user } }),
      routes: { 'GET /a': ok },
    });
    expect(await statuses(ask, '/a', '/a', '/a')).toEqual(expected);
    expect((await ask('/a', asUser('ann'))).status).toBe(200);
  });

  it('are routes of one group together, and none that opted out', async () => {
    const ask = await serve({
      limits: () => ({
        ...limits,
        routes: {
          'GET:/search': { group: 'search' },
          'GET:/suggest': { group: 'search' },
          'GET:/health': false,
        },
      }),
      routes: { 'GET /search': ok, 'GET /suggest': ok, 'GET /health': ok },
    });
    expect(await statuses(ask, '/search', '/suggest', '/search')).toEqual([200, 200, 429]);
    expect(await statuses(ask, '/health', '/health', '/health')).toEqual([200, 200, 200]);
  });

  it('is what another says, where the key is made otherwise', async () => {
    const ask = await serve({
      limits: (read) => ({
        ...limits,
        resource: (request) => read.header(request, 'x-what') ?? 'none',
      }),
      routes: { 'GET /a': ok, 'GET /b': ok },
    });
    const asks = (path: string, what: string) => ask(path, { headers: { 'x-what': what } });
    expect((await asks('/a', 'one')).status).toBe(200);
    expect((await asks('/b', 'one')).status).toBe(200);
    expect((await asks('/a', 'one')).status).toBe(429);
    expect((await asks('/a', 'two')).status).toBe(200);
  });
});
