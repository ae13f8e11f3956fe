import { describe, expect, it } from 'vitest';
import { startServer } from './rig.ts';

const app = 'https://app.example.com';

function preflight(url: string, origin: string): Promise<Response> {
  return fetch(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
}

function corsHeadersOf({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

describe('pages of other origins', () => {
  it('are told nothing by default', async () => {
    const { url } = await startServer();
    const asked = await preflight(`${url}/v1/echo`, app);
    expect(asked.status).toBe(405);
    const called = await fetch(`${url}/v1/health`, { headers: { origin: app } });
    expect([...corsHeadersOf(asked), ...corsHeadersOf(called)]).toEqual([]);
    expect(called.headers.has('vary')).toBe(false);
  });

  it.each([
    [app, true],
    ['http://localhost:5173', true],
    ['https://app.example.com:8443', false],
    ['http://app.example.com', false],
    ['https://evil.app.example.com', false],
    ['https://app.example.com.evil.com', false],
    ['https://APP.example.com', false],
    ['null', false],
    ['*', false],
  ])('%s may call: %s', async (origin, may) => {
    const { url } = await startServer({ corsOrigins: [app, 'http://localhost:5173'] });
    const called = await fetch(`${url}/v1/health`, { headers: { origin } });
    expect(called.status).toBe(200);
    expect(called.headers.get('access-control-allow-origin')).toBe(may ? origin : null);
    expect(called.headers.get('vary')).toBe('Origin');
    const asked = await preflight(`${url}/v1/echo`, origin);
    expect(asked.status).toBe(may ? 204 : 405);
    expect(asked.headers.get('access-control-allow-origin')).toBe(may ? origin : null);
  });

  it('may send our headers and read our answers, errors too, but never with cookies', async () => {
    const { url } = await startServer({ corsOrigins: [app] });
    const asked = await preflight(`${url}/v1/echo`, app);
    expect(asked.headers.get('access-control-allow-headers')).toContain('x-api-key');
    expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(asked.headers.get('access-control-max-age')).toBe('600');
    const failed = await fetch(`${url}/v1/nothing`, { headers: { origin: app } });
    expect(failed.status).toBe(404);
    const exposed = failed.headers.get('access-control-expose-headers') ?? '';
    for (const name of [
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-RateLimit-Reset',
      'X-Request-Id',
    ]) {
      expect(exposed.split(', ')).toContain(name);
    }
    expect(corsHeadersOf(failed)).not.toContain('access-control-allow-credentials');
  });

  it('are the same to a cache as no page at all', async () => {
    const { url } = await startServer({ corsOrigins: [app] });
    expect((await fetch(`${url}/v1/health`)).headers.get('vary')).toBe('Origin');
  });
});
