import { describe, expect, it } from 'vitest';
import { answerAtOnce, headersOfAll } from '../../../platform/src/doors/http/answers.ts';
import { defaultHeaders } from '../../../platform/src/doors/http/default-headers.ts';
import type { HttpServer, ServerOptions } from '../../../platform/src/doors/http/server.ts';
import { RawConnection, startServer } from './rig.ts';

const fields = { 'content-type': 'application/json; charset=utf-8', 'retry-after': '7' };
const text = '{"message":"for \\u0436"}';
const origin = 'https://app.example.com';

function addRoutes(app: HttpServer): void {
  app.get('/v1/at-once', async (request, reply) =>
    answerAtOnce(request, reply, {
      status: 429,
      headers: { ...headersOfAll(request), ...fields },
      text,
    }),
  );
  app.get('/v1/malformed', async (request, reply) =>
    answerAtOnce(request, reply, { status: 200, headers: { 'x-name': 'a\nb' }, text: '{}' }),
  );
}

const start = (options: Partial<ServerOptions> = {}) => startServer(options, addRoutes);

describe('an answer that is sent at once', () => {
  it('has its status, its fields, its text, and what every answer has', async () => {
    const { url } = await start();
    const headers = { 'x-request-id': 'request-0001' };
    const answer = await fetch(`${url}/v1/at-once`, { headers });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toEqual({ message: 'for ж' });
    const usual = await fetch(`${url}/v1/health`, { headers });
    const names = [...Object.keys(defaultHeaders), 'x-request-id', 'keep-alive'];
    for (const name of names) {
      expect(answer.headers.get(name), name).toBe(usual.headers.get(name));
    }
    for (const [name, value] of Object.entries({ ...defaultHeaders, ...fields, ...headers })) {
      expect(answer.headers.get(name), name).toBe(value);
    }
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  it('has what is told to pages of other origins', async () => {
    const { url } = await start({ corsOrigins: [origin] });
    const answer = await fetch(`${url}/v1/at-once`, { headers: { origin } });
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(await answer.text()).toBe(text);
  });

  it('lets the next one come on the same connection, and is told apart from it', async () => {
    const { port } = await start();
    const connection = await RawConnection.open(port);
    const request = 'GET /v1/at-once HTTP/1.1\r\nhost: localhost\r\n\r\n';
    connection.write(request + request + request.replace('at-once', 'health'));
    await connection.untilAnswers(3);
    expect(connection.statuses).toEqual([429, 429, 200]);
    expect(connection.received.split(text)).toHaveLength(3);
  });

  it('ends its connection while the server drains', async () => {
    const { app, url } = await start();
    expect((await fetch(`${url}/v1/at-once`)).headers.get('connection')).toBe('keep-alive');
    app.drainState.isDraining = true;
    for (const path of ['/v1/at-once', '/v1/health', '/v1/nothing']) {
      expect((await fetch(url + path)).headers.get('connection'), path).toBe('close');
    }
  });

  it('is a problem where a field of it can not be sent', async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/v1/malformed`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ code: 'internal' });
    expect((await fetch(`${url}/v1/at-once`)).status).toBe(429);
  });
});
