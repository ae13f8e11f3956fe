// Runs each framework's example as a reader would, in a process of its own, and calls it over HTTP.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../servers/free-port.ts';

const rootPath = fileURLToPath(new URL('../..', import.meta.url));
const plain = (name: string) => [`examples/${name}/main.mjs`];
const examples: Readonly<Record<string, readonly string[]>> = {
  express: plain('express'),
  fastify: plain('fastify'),
  koa: plain('koa'),
  hono: plain('hono'),
  fetch: plain('fetch'),
  nest: ['examples/nest/main.ts'],
};

describe.each(Object.entries(examples))('the example of %s', (name, args) => {
  const example = new Example(args, name);
  beforeAll(() => example.start());
  afterAll(() => example.stop());

  test('counts users apart, a search five times, and health not at all', async () => {
    expect(await leftOf(await example.get('/orders', 'ann'))).toBe(99);
    expect((await example.get('/search', 'ann')).headers.get('x-ratelimit-remaining')).toBe('94');
    expect(await leftOf(await example.get('/orders', 'bob'))).toBe(99);
    const free = await example.get('/health');
    expect([free.status, free.headers.has('x-ratelimit-limit')]).toEqual([200, false]);
  });

  test('refuses who does not say who it is, before it is counted', async () => {
    const answer = await example.get('/orders');
    expect([answer.status, answer.headers.has('x-ratelimit-limit')]).toEqual([401, false]);
  });

  test('lets two exports of a user run at a time, and others again once they have ended', async () => {
    const three = ['cyd', 'cyd', 'cyd'].map((user) => example.get('/export', user));
    const statuses = (await Promise.all(three)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    await expect.poll(async () => (await example.get('/export', 'cyd')).status).toBe(200);
  });

  test('refuses the 101st request of a minute with a reason and a wait', async () => {
    // Costs five each.
    for (let calls = 0; calls < 20; calls += 1) await example.get('/search', 'dan');
    const refused = await example.get('/orders', 'dan');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', limit: 'per-minute' });
  });
});

test("Nest's example, which has a configuration of its own, has right types", async () => {
  const compiler = `${rootPath}/node_modules/typescript/bin/tsc`;
  const args = [compiler, '-p', `${rootPath}/examples/nest`];
  await expect(promisify(execFile)(process.execPath, args)).resolves.toMatchObject({ stdout: '' });
});

async function leftOf(answer: Response): Promise<unknown> {
  return ((await answer.json()) as { left: number }).left;
}

class Example {
  readonly #args: readonly string[];
  readonly #name: string;
  #child: ChildProcess | undefined;
  #url = '';

  constructor(args: readonly string[], name: string) {
    this.#args = args;
    this.#name = name;
  }

  async start(): Promise<void> {
    const port = await findFreePort();
    this.#url = `http://127.0.0.1:${port}`;
    // From source, so that no build can be older than what is tested.
    const flags = ['--conditions=source', '--import', 'tsx', ...this.#args];
    const child = spawn(process.execPath, flags, {
      cwd: rootPath,
      env: {
        ...process.env,
        PORT: String(port),
        ...(this.#name === 'nest' && { TSX_TSCONFIG_PATH: 'examples/nest/tsconfig.json' }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`${this.#name} ended with ${code}`)));
    });
  }

  get(path: string, user?: string): Promise<Response> {
    const headers = user === undefined ? {} : { authorization: `Bearer ${user}` };
    return fetch(`${this.#url}${path}`, { headers });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}
