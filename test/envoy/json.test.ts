// `/json` and `/healthcheck`, as the reference service answers them.

import { describe, expect, it, onTestFinished } from 'vitest';
import { Health, healthRoutes, jsonRoutes } from '../../platform/src/doors/envoy/index.ts';
import { RlsRefusal } from '../../platform/src/rls/ask.ts';
import { createServer } from '../../platform/src/doors/http/server.ts';
import { CountingService } from './counting-service.ts';

const entries = [{ key: 'user', value: 'ann' }];
const request = { domain: 'shop', descriptors: [{ entries }] };

async function openRoutes() {
  const state = { isThere: true };
  const service = new CountingService();
  const health = new Health({ rateLimits: service, isStoreThere: () => state.isThere });
  onTestFinished(() => health.close());
  const app = await createServer({ version: '0.0.0' });
  await app.register(healthRoutes, { health });
  await app.register(jsonRoutes, { rateLimits: service });
  onTestFinished(() => app.close());
  const json = async (body: unknown, contentType = 'application/json') => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': contentType };
    return app.inject({ method: 'POST', url: '/json', headers, payload });
  };
  return { app, service, health, state, json };
}

describe('E POST /json', () => {
  it('is 200 within the limits and 429 over one, in the spelling of proto3', async () => {
    const { json } = await openRoutes();
    const currentLimit = { requestsPerUnit: 3, unit: 'HOUR' };
    const status = { code: 'OK', currentLimit, durationUntilReset: '3600s' };
    for (const limitRemaining of [2, 1]) {
      const answer = await json(request);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toContain('application/json');
      expect(answer.json()).toEqual({
        overallCode: 'OK',
        statuses: [{ ...status, limitRemaining }],
      });
    }
    // What holds its default is left out.
    expect((await json(request)).json()).toEqual({ overallCode: 'OK', statuses: [status] });
    const over = await json(request);
    expect(over.statusCode).toBe(429);
    expect(over.json()).toEqual({
      overallCode: 'OVER_LIMIT',
      statuses: [{ ...status, code: 'OVER_LIMIT' }],
    });
  });

  it('takes both spellings of names, numbers as text, units by name and number, and null', async () => {
    const { json, service } = await openRoutes();
    const spelt = [
      {
        domain: 'shop',
        hitsAddend: 2,
        descriptors: [
          { entries, limit: { requestsPerUnit: 9, unit: 'DAY' }, isNegativeHits: true },
          { entries, hitsAddend: '0', limit: null },
        ],
      },
      {
        domain: 'shop',
        hits_addend: '2',
        descriptors: [
          { entries, limit: { requests_per_unit: '9', unit: 4 }, is_negative_hits: true },
          { entries, hits_addend: 0 },
        ],
      },
    ];
    for (const body of spelt) expect((await json(body)).statusCode).toBeLessThan(430);
    expect(service.asked[0]).toEqual({
      domain: 'shop',
      descriptors: [
        { entries, limit: { requestsPerUnit: 9, unit: 'DAY' }, hits: 2, isRefund: true },
        { entries, limit: null, hits: 0, isRefund: false },
      ],
    });
    expect(service.asked[1]).toEqual(service.asked[0]);
  });

  it('passes on headers, body and metadata, none of which can become another header', async () => {
    const { json, service } = await openRoutes();
    service.extra = {
      responseHeaders: [
        { name: 'x-a', value: 'b\r\nc' },
        { name: 'x:\n', value: 'gone' },
      ],
      requestHeaders: [{ name: 'x-tier', value: 'gold' }],
      body: 'no',
      metadata: { domain: 'shop' },
    };
    expect((await json(request)).json()).toMatchObject({
      responseHeadersToAdd: [{ key: 'x-a', value: 'b__c' }],
      requestHeadersToAdd: [{ key: 'x-tier', value: 'gold' }],
      rawBody: 'bm8=',
      dynamicMetadata: { domain: 'shop' },
    });
  });

  it('passes on what is granted, with its time as text', async () => {
    const { json, service } = await openRoutes();
    service.quota = { requests: 20, validUntilSeconds: 1_789_000_000.1239, id: 'counter' };
    const quota = { requests: 20, validUntil: '2026-09-10T00:26:40.123Z', id: 'counter' };
    expect((await json(request)).json()).toMatchObject({ statuses: [{ quota }] });
  });

  it('does not look at the content type', async () => {
    const { json } = await openRoutes();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      expect((await json(request, type)).statusCode).toBe(200);
    }
  });

  const one = (more: object) => ({ ...request, descriptors: [{ entries, ...more }] });
  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['null', 'null'],
    ['an unknown field', { ...request, domian: 'x' }],
    ['a field twice', '{"domain":"a","hits_addend":1,"hitsAddend":2,"descriptors":[{}]}'],
    ['no domain', { descriptors: request.descriptors }],
    ['no descriptors', { domain: 'shop' }],
    [
      '10,000 descriptors',
      { domain: 'd', descriptors: Array.from({ length: 10_000 }, () => ({})) },
    ],
    ['descriptors that are no list', { domain: 'shop', descriptors: {} }],
    ['a number as domain', { ...request, domain: 1 }],
    ['text that is none', { ...request, domain: '\ud800' }],
    ['a tenant, whose callers have keys', { ...request, domain: 'tenant:acme' }],
    ['a negative addend', { ...request, hitsAddend: -1 }],
    ['a fraction', one({ hitsAddend: 0.5 })],
    ['an addend beyond all', one({ hitsAddend: '18446744073709551615' })],
    ['an unknown unit', one({ limit: { unit: 'FORTNIGHT' } })],
    ['the unit that says nothing', one({ limit: { unit: 'UNKNOWN' } })],
    ['a flag that is none', one({ isNegativeHits: 'yes' })],
    ['an entry without key', one({ entries: [{ value: 'x' }] })],
  ])('%s: 400 Bad Request, and nothing is asked', async (_name, body) => {
    const { json, service } = await openRoutes();
    const answer = await json(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toBe('Bad Request');
    expect(service.asked).toEqual([]);
  });

  it.each(['invalid', 'not_loaded', 'unavailable'] as const)(
    'a service that says %s: 400, as the reference service answers every error',
    async (code) => {
      const { json, service } = await openRoutes();
      service.failure = new RlsRefusal(code, 'why');
      const answer = await json(request);
      expect([answer.statusCode, answer.body]).toEqual([400, 'Bad Request']);
    },
  );

  it('a body that is too large: 413', async () => {
    const { json } = await openRoutes();
    expect((await json({ domain: 'd'.repeat(300_000) })).statusCode).toBe(413);
  });
});

describe('E GET /healthcheck', () => {
  it('is 500 until rules are loaded, while the store is away, and from SIGTERM on', async () => {
    const { app, service, health, state } = await openRoutes();
    const said = async () => {
      const { statusCode, body } = await app.inject({ method: 'GET', url: '/healthcheck' });
      return [statusCode, body];
    };
    service.isLoaded = false;
    expect(await said()).toEqual([500, '']);
    service.isLoaded = true;
    expect(await said()).toEqual([200, 'OK']);
    state.isThere = false;
    expect(await said()).toEqual([500, '']);
    state.isThere = true;
    expect(await said()).toEqual([200, 'OK']);
    health.drain();
    expect(await said()).toEqual([500, '']);
  });
});
