// Runs the examples as a reader would, in a process of their own, so that what the README shows
// keeps working.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

const rootPath = fileURLToPath(new URL('..', import.meta.url));

test('the burst draws a row for each algorithm, in plain characters without a terminal', async () => {
  const output = await runExample('burst/main.mjs');
  expect(output).toMatch(/^token bucket +# {3}# {3}# {3}#{10}\.\.#/m);
  expect(output).toMatch(/^fixed window +# {3}# {3}# {3}#{5}\.{7}#{8}\.{5}/m);
  expect(output).toMatch(/^sliding log +# {3}# {3}# {3}#{5}\.{15}#/m);
  expect(output).toMatch(/^sliding counter +[#. ]+$/m);
  expect(output).toMatch(/^concurrency +[#. ]+$/m);
  expect(output).toMatch(/^quota +# {3}# {3}# {3}#{17}\./m);
  expect(output).not.toContain('\u001b');
});

test('the burst shows a refusal by one of six limits that charges none of them', async () => {
  const output = await runExample('burst/main.mjs');
  const lines = [...output.matchAll(/ (\d+) +(\d+) +\d+ {2}(admits|refuses)$/gm)];
  expect(lines.map(([, , , verdict]) => verdict)).toEqual([
    ...Array.from({ length: 5 }, () => 'admits'),
    'refuses',
  ]);
  for (const [, before, after] of lines) expect(after).toBe(before);
  expect(output).toContain(
    'monthly-tokens allows 1000 tokens per month for acme; try again in 16.5 days.',
  );
});

test("the README's first example answers as it says", async () => {
  const [first, second] = (await runExample('five-lines/in-process.mjs')).split('\n');
  expect(first).toBe('true 2');
  expect(second).toMatch(/^false burst burst allows bursts of 5 for this user; try again in/);
});

test("the README's example on Redis answers as it says", async () => {
  const output = await runExample('five-lines/on-redis.mjs', {
    SLUICE_REDIS_URL: inject('redisUrl'),
  });
  const [first, second] = output.split('\n');
  expect(first).toBe('exact true 2');
  expect(second).toMatch(/^exact false burst burst allows bursts of 5 for this user; try again in/);
});

test("the README's middleware lets ten calls through and tells the eleventh when to come back", async () => {
  const lines = (await runExample('five-lines/express.mjs')).trim().split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe('200 9 0');
  // A token comes back every half second, and the machine may be slow.
  expect(lines.filter((line) => /^(200 \d+ 0|429 0 1)$/.test(line))).toHaveLength(11);
});

test('the code in the README is the code of the examples', () => {
  const [inProcess, onRedis, onExpress, ...others] = readCode('README.md');
  expect(readText('examples/five-lines/in-process.mjs')).toContain(inProcess);
  expect(readText('examples/five-lines/on-redis.mjs')).toContain(onRedis);
  expect(readText('examples/five-lines/express.mjs')).toContain(onExpress);
  expect(others).toEqual([]);
});

async function runExample(path: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  // From source, so that no build can be older than what is tested.
  const args = ['--conditions=source', '--import', 'tsx', `${rootPath}/examples/${path}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: rootPath,
    env: { ...process.env, ...env },
    timeout: 50_000,
  });
  return stdout;
}

function readCode(path: string): string[] {
  return [...readText(path).matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

function readText(path: string): string {
  return readFileSync(`${rootPath}/${path}`, 'utf8');
}
