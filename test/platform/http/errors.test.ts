import { describe, expect, it } from 'vitest';
import { IdempotencyConflict, InvalidInput } from 'sluice';
import { Problem, problemCodes, statusOf } from '../../../platform/src/doors/http/problem.ts';
import { postJson, startServer } from './rig.ts';

describe('an error is answered', () => {
  it.each([
    ['a field of another type', '{"resource":1}', 'resource', 'must be a string, got a number'],
    [
      'text for a number',
      '{"resource":"a","cost":"1"}',
      'cost',
      'must be an integer, got a string',
    ],
    ['a field that is missing', '{}', 'resource', 'is required'],
    ['an empty text', '{"resource":""}', 'resource', 'must not have fewer than 1 characters'],
    ['a body that is no object', '[]', 'body', 'must be an object, got an array'],
    [
      'a field nobody knows',
      '{"resource":"a","items":[{"name":"b"},{"name":"c","nmae":"d"}]}',
      'items[1].nmae',
      'is not known here; known are name',
    ],
  ])('%s: 400 that names it', async (_, body, field, problem) => {
    const { url } = await startServer();
    const answer = await postJson(`${url}/v1/echo`, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'invalid_request',
      status: 400,
      detail: `${field}: ${problem}`,
      errors: [{ field, problem }],
    });
  });

  it('wrong query: 400, though its numbers are text', async () => {
    const { url } = await startServer();
    const right = await postJson(`${url}/v1/echo?limit=5`, { resource: 'a' });
    expect(await right.json()).toMatchObject({ query: { limit: 5 } });
    for (const [query, field] of [
      ['limit=x', 'limit'],
      ['limit=0', 'limit'],
      ['lmit=5', 'lmit'],
    ]) {
      const wrong = await postJson(`${url}/v1/echo?${query}`, { resource: 'a' });
      expect(wrong.status).toBe(400);
      expect(await wrong.json()).toMatchObject({ errors: [{ field }] });
    }
  });

  it.each([
    ['not JSON', '{"resource":', 'invalid_json'],
    ['empty', '', 'invalid_json'],
    ['a poisoned prototype', '{"resource":"a","__proto__":{"admin":true}}', 'invalid_json'],
    ['a poisoned constructor', '{"resource":"a","constructor":{"prototype":{}}}', 'invalid_json'],
  ])('a body that is %s: 400 %s', async (_, body, code) => {
    const { url } = await startServer();
    const answer = await postJson(`${url}/v1/echo`, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code });
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['nobody says what', { 'content-type': '' }],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('a body that is %s: 415', async (_, headers) => {
    const { url } = await startServer();
    const answer = await postJson(`${url}/v1/echo`, 'resource=a', headers);
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each([1025, 2_000_000])('a body of %i bytes where 1024 are taken: 413', async (bytes) => {
    const { url } = await startServer();
    const answer = await postJson(`${url}/v1/echo`, 'x'.repeat(bytes));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: 'body_too_large' });
  });

  it('an unknown route: 404, whatever its body', async () => {
    const { url } = await startServer();
    for (const answer of [
      await fetch(`${url}/v1/nothing`),
      await postJson(`${url}/v1/nothing`, '{'),
      await postJson(`${url}/v1/nothing`, '<x/>', { 'content-type': 'text/xml' }),
    ]) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'not_found' });
    }
  });

  it('a known path by another method: 405 that names the right ones', async () => {
    const { url } = await startServer();
    const answer = await fetch(`${url}/v1/echo`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
    const other = await postJson(`${url}/v1/health`, {});
    expect(other.headers.get('allow')).toBe('GET, HEAD');
  });

  it('an address that is not well-formed: 400; an id too long to be one: 404', async () => {
    const { url } = await startServer({ limits: { paramLengthMax: 10 } }, (app) => {
      app.get('/v1/things/:id', async () => 'thing');
    });
    expect((await fetch(`${url}/v1/%ff`)).status).toBe(400);
    const answer = await fetch(`${url}/v1/things/${'x'.repeat(11)}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  });

  it.each(problemCodes)('%s: by its own status and name', async (code) => {
    const { url } = await startServer({}, (app) => {
      app.get('/fail', async () => {
        throw new Problem(code, 'For the test.');
      });
    });
    const answer = await fetch(`${url}/fail`);
    expect(answer.status).toBe(statusOf(code));
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toMatchObject({
      type: 'about:blank',
      code,
      status: statusOf(code),
      detail: 'For the test.',
      request_id: answer.headers.get('x-request-id'),
    });
    expect(answer.headers.has('www-authenticate')).toBe(code === 'unauthenticated');
    expect(answer.headers.has('retry-after')).toBe(code === 'unavailable');
  });

  it("what the library refuses: 400 in the API's names; a key used twice: 422", async () => {
    const { url } = await startServer({}, (app) => {
      app.get('/input', async () => {
        throw new InvalidInput('reserve.ttlMs', 'must be a whole number');
      });
      app.get('/conflict', async () => {
        throw new IdempotencyConflict();
      });
    });
    const input = await fetch(`${url}/input`);
    expect(input.status).toBe(400);
    expect(await input.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'reserve.ttl_ms', problem: 'must be a whole number' }],
    });
    expect((await fetch(`${url}/conflict`)).status).toBe(422);
  });

  it('what is away for a while: 503 and when to come again', async () => {
    class Away extends Error {}
    const { url } = await startServer(
      { isUnavailable: (error) => error instanceof Away },
      (app) => {
        app.get('/away', async () => {
          throw new Away('postgres://user:secret@db');
        });
      },
    );
    const answer = await fetch(`${url}/away`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.text()).not.toContain('secret');
  });

  it.each(['thrown', 'sent', 'not an error'])(
    'what nobody foresaw, %s: 500 that tells the caller nothing and us all',
    async (how) => {
      const seen: unknown[] = [];
      const failure: unknown = how === 'not an error' ? 'secret' : new Error('secret');
      const { url } = await startServer(
        { onUnexpected: (error, request) => seen.push(error, request.id) },
        (app) => {
          app.get('/fail', async (_request, reply) => {
            if (how === 'sent') return reply.send(failure);
            // oxlint-disable-next-line typescript/only-throw-error -- others do.
            throw failure;
          });
        },
      );
      const answer = await fetch(`${url}/fail`);
      const body = await answer.text();
      expect(answer.status).toBe(500);
      expect(JSON.parse(body)).toMatchObject({ code: 'internal' });
      expect(body).not.toContain('secret');
      expect(seen).toEqual([failure, answer.headers.get('x-request-id')]);
    },
  );
});

describe('every answer', () => {
  it.each(['/v1/health', '/v1/nothing', '/v1/%ff', '/docs', '/'])(
    'of %s is safe to open',
    async (path) => {
      const { url } = await startServer();
      const { headers } = await fetch(`${url}${path}`, { redirect: 'manual' });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*frame-ancestors 'none'/,
      );
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9-]{8,12}$/);
      expect(headers.has('server')).toBe(false);
      expect(headers.has('x-powered-by')).toBe(false);
      expect(headers.has('strict-transport-security')).toBe(false);
    },
  );

  it('carries the id it was given, unless that could do harm', async () => {
    const { url } = await startServer();
    const idFor = async (id: string) =>
      (await fetch(`${url}/v1/health`, { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await idFor('trace-2026.11:07')).toBe('trace-2026.11:07');
    expect(await idFor('"><script>')).not.toContain('script');
  });
});
