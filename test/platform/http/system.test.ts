import { Validator } from '@seriousme/openapi-schema-validator';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startServer } from './rig.ts';

describe('health', () => {
  it('says that it is alive, and its version', async () => {
    const { url } = await startServer();
    const answer = await fetch(`${url}/v1/health`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ok', version: '1.2.3' });
  });

  it('says so whatever it depends on', async () => {
    const { url } = await startServer({}, undefined, {
      isStarted: () => false,
      dependencies: { database: () => 'down' },
    });
    expect((await fetch(`${url}/v1/health`)).status).toBe(200);
  });
});

describe('ready', () => {
  it('says how each dependency is', async () => {
    const { url } = await startServer();
    const answer = await fetch(`${url}/v1/ready`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      ready: true,
      degraded: false,
      dependencies: { database: 'embedded', store: 'memory' },
      findings: [],
    });
  });

  it('stays so when one is lost: checks are still answered', async () => {
    const { url } = await startServer({}, undefined, {
      dependencies: {
        database: () => 'up',
        store: () => Promise.reject(new Error('redis://:secret@gone')),
      },
    });
    const answer = await fetch(`${url}/v1/ready`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      ready: true,
      degraded: true,
      dependencies: { database: 'up', store: 'down' },
      findings: [],
    });
  });

  it('names what an operator should put right', async () => {
    const findings = () => ['redis_evicts'];
    const { url } = await startServer({}, undefined, { findings });
    const answer = await fetch(`${url}/v1/ready`);
    expect(await answer.json()).toMatchObject({ ready: true, findings: ['redis_evicts'] });
  });

  it('is not until it has started', async () => {
    let started = false;
    const { url } = await startServer({}, undefined, { isStarted: () => started });
    const early = await fetch(`${url}/v1/ready`);
    expect(early.status).toBe(503);
    expect(early.headers.get('retry-after')).toBe('1');
    expect(await early.json()).toMatchObject({
      code: 'unavailable',
      status: 503,
      ready: false,
      reason: 'starting',
      dependencies: { store: 'memory' },
    });
    started = true;
    expect((await fetch(`${url}/v1/ready`)).status).toBe(200);
  });
});

it('metrics are passed on as they are', async () => {
  const { url } = await startServer();
  const answer = await fetch(`${url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(await answer.text()).toBe('up 1\n');
});

describe('the OpenAPI document', () => {
  it('is valid, is 3.1, and names its schemas', async () => {
    const { url } = await startServer();
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      openapi: string;
      components: { schemas: object; securitySchemes: object };
    };
    const { valid, errors } = await new Validator().validate(document);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Problem', 'Health', 'Ready']),
    );
    expect(Object.keys(document.components.securitySchemes)).toEqual(['apiKey', 'bearer']);
  });

  it('hides what is not an API', async () => {
    const { url } = await startServer();
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).toSorted()).toEqual([
      '/metrics',
      '/v1/echo',
      '/v1/health',
      '/v1/ready',
    ]);
  });
});

describe('the reference page', () => {
  const folder = new URL('../../../platform/src/doors/http/docs-page/', import.meta.url);
  const names = readdirSync(folder).filter((name) => !name.endsWith('.ts'));

  it('is served whole, each file as what it is', async () => {
    const { url } = await startServer();
    const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
    for (const name of names) {
      const answer = await fetch(name === 'page.html' ? `${url}/docs` : `${url}/docs/${name}`);
      expect(answer.status).toBe(200);
      const type = types[name.split('.').at(-1) as keyof typeof types];
      expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(await answer.text()).toBe(readFileSync(new URL(name, folder), 'utf8'));
    }
  });

  it('runs under a policy that allows its own files only', async () => {
    const { url } = await startServer();
    const policy = (await fetch(`${url}/docs`)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it.each(names)('%s has no inline script or style and talks to nobody else', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=["']/);
    expect(text).not.toMatch(/https?:\/\/|@import|innerHTML|insertAdjacentHTML|\beval\(/);
    // From the root it would miss the prefix that everything may be under.
    expect(text).not.toMatch(/(?:href|src)="\//);
  });

  it('asks only for what is served', async () => {
    const { url } = await startServer();
    const page = readFileSync(new URL('page.html', folder), 'utf8');
    const links = [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, link]) => link ?? '');
    const scripts = names.filter((name) => name.endsWith('.js'));
    const imports = scripts.flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '\.\/([^']+)'/g)].map(
        ([, file]) => `docs/${file}`,
      ),
    );
    for (const link of [...links, ...imports].filter((text) => !text.startsWith('data:'))) {
      expect((await fetch(new URL(link, `${url}/docs`))).status).toBe(200);
    }
  });
});
