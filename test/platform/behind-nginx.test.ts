import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NginxServer, startNginx } from '../servers/nginx.ts';
import { NodeClient } from './rig/client.ts';
import { type RunningNode, startNode } from './rig/node.ts';
import { makeStack, type Stack } from './rig/stacks.ts';

const check = { resource: 'GET:/orders', subject: 'ann' };

describe('under a path of its own, behind nginx', () => {
  let stack: Stack;
  let node: RunningNode;
  let nginx: NginxServer;
  let client: NodeClient;

  beforeAll(async () => {
    stack = await makeStack('PostgreSQL, Redis');
    node = await startNode({
      ...stack.settings,
      SLUICE_BASE_PATH: '/limits',
      SLUICE_DEMO: 'on',
    });
    const { host } = new URL(node.url);
    nginx = await startNginx(`
      location /limits {
        proxy_pass http://${host};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      }
    `);
    client = new NodeClient(`${nginx.url}/limits`, node.service.adminToken);
  });

  afterAll(async () => {
    await nginx.stop();
    await node.stop();
    await stack.remove();
  });

  it('the node says so itself', () => {
    expect(new URL(node.url).pathname).toBe('/limits');
  });

  it('tenants are made and their checks decided, with all headers', async () => {
    const { key, id } = await client.makeTenant({
      limits: [{ name: 'w', algorithm: 'fixed_window', limit: 1, window_seconds: 3600 }],
    });
    const allowed = await client.check(key, check);
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('ratelimit-policy')).toBe('"w";q=1;w=3600');
    const refused = await client.check(key, check);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    const batch = await client.checks(key, [check, check]);
    expect(batch.status).toBe(200);
    const usage = await client.get('/v1/usage', { 'x-api-key': key });
    expect([200, 403]).toContain(usage.status);
    const listed = await client.admin('GET', `keys?tenant_id=${id}&limit=1`);
    expect(listed.body['items']).toHaveLength(1);
    const stale = await client.admin(
      'PATCH',
      `tenants/${id}`,
      { name: 'x' },
      { 'if-match': '"99"' },
    );
    expect(stale.status).toBe(409);
    expect((await client.admin('DELETE', `tenants/${id}`)).status).toBe(200);
  });

  it('the document is there, and says where', async () => {
    const { body: document } = await client.get('/openapi.json');
    expect(document).toMatchObject({ servers: [{ url: '/limits' }] });
  });

  it.each(['/', '/docs'])('the page %s and all that it loads are there', async (path) => {
    const page = await client.get(path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const links = [...page.text.matchAll(/(?:src|href)="(?!data:)([^"#]+)"/g)].map(
      ([, link]) => link,
    );
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      const url = new URL(link as string, `${client.url}${path}`);
      expect(url.pathname).toMatch(/^\/limits(\/|$)/);
      expect((await fetch(url)).status, url.href).toBe(200);
    }
  });

  it('health, readiness, metrics and the demo are there', async () => {
    expect((await client.get('/v1/health')).status).toBe(200);
    expect((await client.get('/v1/ready')).body['ready']).toBe(true);
    expect((await client.get('/metrics')).text).toContain('route="/v1/health"');
    expect((await client.get('/v1/demo')).body['plans']).toHaveLength(6);
  });

  it('what lies outside is not served, though it is spelt alike', async () => {
    const direct = new URL(node.url).origin;
    for (const path of ['/v1/health', '/limitsv1/health', '/limits2/v1/health', '/']) {
      const answer = await fetch(`${direct}${path}`);
      expect(answer.status, path).toBe(404);
      expect(answer.headers.get('content-type'), path).toBe('application/problem+json');
    }
  });
});
