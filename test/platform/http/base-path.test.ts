import { describe, expect, it } from 'vitest';
import { postJson, sendRaw, startServer } from './rig.ts';

describe('under a prefix', () => {
  it('everything is served', async () => {
    const { url } = await startServer({ basePath: '/limits/eu' });
    for (const path of [
      '/v1/health',
      '/v1/ready',
      '/metrics',
      '/openapi.json',
      '/docs',
      '/docs/page.js',
    ]) {
      const answer = await fetch(`${url}${path}`);
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    expect((await postJson(`${url}/v1/echo?limit=2`, { resource: 'a' })).status).toBe(200);
  });

  it('nothing is served outside of it', async () => {
    const { port } = await startServer({ basePath: '/limits' });
    for (const path of ['/', '/v1/health', '/limitsv1/health', '/docs', '/LIMITS/v1/health']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'not_found' });
    }
  });

  it('errors are the same', async () => {
    const { url } = await startServer({ basePath: '/limits' });
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
    const wrong = await fetch(`${url}/v1/echo`);
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('POST');
  });

  it('the console is below it, with a slash for what it loads to be found', async () => {
    const { port } = await startServer({ basePath: '/limits' });
    const bare = await fetch(`http://127.0.0.1:${port}/limits`, { redirect: 'manual' });
    expect(bare.headers.get('location')).toBe('/limits/');
    const page = await fetch(`http://127.0.0.1:${port}/limits/`);
    const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
    const answer = await fetch(`http://127.0.0.1:${port}/limits${script}`);
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  });

  it('the reference says where it is, and routes keep their own names', async () => {
    const { url } = await startServer({ basePath: '/limits' });
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      servers: unknown;
      paths: object;
    };
    expect(document.servers).toEqual([{ url: '/limits' }]);
    expect(Object.keys(document.paths)).toContain('/v1/health');
  });

  it('the absolute form of an address is understood', async () => {
    const { port } = await startServer({ basePath: '/limits' });
    const { statuses } = await sendRaw(
      port,
      'GET http://a/limits/v1/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(statuses).toEqual([200]);
  });
});
