import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { ChildNode } from './rig/child-node.ts';
import { NodeClient } from './rig/client.ts';
import { makeDataDir, startNode } from './rig/node.ts';

const startPath = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));
/** It compiles everything where nothing is compiled yet, maybe on a busy machine. */
const buildTimeoutMs = 170_000;
const algorithms = [
  'token_bucket',
  'fixed_window',
  'sliding_window_log',
  'sliding_window_counter',
  'concurrency',
  'quota',
];

/** As somebody who pastes the line. */
async function paste(line: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line]);
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

describe('npm start', () => {
  let folder: string;
  let node: ChildNode;

  const start = async () => {
    // What `npm start` runs; it builds first, which takes its time on a busy machine.
    node = ChildNode.run([startPath], {
      SLUICE_DATA_DIR: `${folder}/data`,
      SLUICE_HTTP_ADDR: '127.0.0.1:0',
      SLUICE_GRPC_ADDR: '127.0.0.1:0',
      SLUICE_DRAIN_SECONDS: '0',
      // The tests beside it may starve it.
      SLUICE_SHED_DELAY_MS: '60000',
    });
    await node.untilServing(buildTimeoutMs);
  };

  beforeAll(async () => {
    folder = await createTemporaryFolder('start');
    await start();
  }, buildTimeoutMs + 10_000);

  afterAll(async () => {
    if (node.isRunning) await node.end('SIGKILL');
    await removeFolder(folder);
  });

  const curls = () => node.output.split('\n').filter((line) => line.trim().startsWith('curl'));

  it('prints lines that work when pasted: one for each algorithm, and one for the administrator', async () => {
    const lines = curls();
    expect(lines).toHaveLength(algorithms.length + 1);
    for (const [at, algorithm] of algorithms.entries()) {
      const decision = await paste(lines[at] as string);
      expect(decision).toMatchObject({ allowed: true, limits: [{ algorithm }] });
    }
    const tenants = await paste(lines.at(-1) as string);
    expect(tenants).toMatchObject({ items: [{ name: 'demo' }] });
  });

  it('can be pasted until each of them refuses', async () => {
    // A day's hundred is the largest; the others are far smaller.
    const tries = 101;
    for (const [at, algorithm] of algorithms.entries()) {
      const [, url = '', key = '', body = ''] =
        /curl -s (\S+) -H 'x-api-key: ([^']+)' .* -d '([^']+)'/.exec(curls()[at] as string) ?? [];
      const client = new NodeClient(url.replace('/v1/check', ''), '');
      const answers = await Promise.all(
        Array.from({ length: tries }, () => client.check(key, body)),
      );
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.body['blocked_by'], algorithm).toMatchObject({ reason: 'exceeded' });
    }
  });

  it('tells the playground the same', async () => {
    const { body } = await node.client.get('/v1/demo');
    expect(node.output).toContain(body['key']);
    const plans = body['plans'] as { id: string }[];
    expect(plans).toHaveLength(algorithms.length);
    // The tenant is on the first, so its line needs no plan_id.
    for (const { id } of plans.slice(1)) expect(node.output).toContain(id);
  });

  it(
    'prints the same key and token the second time',
    async () => {
      const { adminToken } = node;
      const { body: demo } = await node.client.get('/v1/demo');
      expect(await node.end()).toEqual({ code: 0, signal: null });
      await start();
      expect(node.adminToken).toBe(adminToken);
      expect((await node.client.get('/v1/demo')).body).toEqual(demo);
      expect(await paste(curls().at(-1) as string)).toMatchObject({ items: [{ name: 'demo' }] });
    },
    buildTimeoutMs + 10_000,
  );
});

describe('an admin token that was given', () => {
  it('is not printed, for what is printed is kept in logs', async () => {
    const token = 'a-token-that-somebody-chose';
    const data = await makeDataDir();
    const settings = { SLUICE_DATA_DIR: data.path, SLUICE_ADMIN_TOKEN: token };
    const given = await ChildNode.start(settings);
    try {
      expect(given.output).toContain('as set in SLUICE_ADMIN_TOKEN');
      expect(given.output).not.toContain(token);
      const client = new NodeClient(given.url, token);
      expect((await client.admin('GET', 'tenants')).status).toBe(200);
    } finally {
      await given.end();
    }
  }, 60_000);
});

describe('the demo', () => {
  it('that is off seeds nothing and is not there', async () => {
    const data = await makeDataDir();
    const node = await startNode({ SLUICE_DATA_DIR: data.path, SLUICE_DEMO: 'off' });
    expect((await node.client.get('/v1/demo')).status).toBe(404);
    expect((await node.client.admin('GET', 'tenants')).body['items']).toEqual([]);
    await node.stop();
    await data.remove();
  });

  it('has the key and the administrator the token that they are given, wherever they were made', async () => {
    const data = await makeDataDir();
    const key = mint('key', 'made elsewhere').text;
    const settings = {
      SLUICE_DATA_DIR: data.path,
      SLUICE_DEMO: 'on',
      SLUICE_DEMO_KEY: key,
      SLUICE_ADMIN_TOKEN: 'a-token-of-my-own',
    };
    for (let starts = 0; starts < 2; starts += 1) {
      const node = await startNode(settings);
      const client = new NodeClient(node.url, 'a-token-of-my-own');
      const check = { resource: 'GET:/hello', subject: 'me' };
      expect((await client.check(key, check)).status).toBe(200);
      expect((await client.get('/v1/demo')).body['key']).toBe(key);
      expect((await client.admin('GET', 'tenants')).body['items']).toHaveLength(1);
      const other = new NodeClient(node.url, mint('token', 'x').text);
      expect((await other.admin('GET', 'tenants')).status).toBe(401);
      await node.stop();
    }
    await data.remove();
  });

  it('refuses a key that is not in our format, by the name of the setting', async () => {
    await expect(startNode({ SLUICE_DEMO_KEY: 'sk_live_1' })).rejects.toThrow('SLUICE_DEMO_KEY');
    const mistyped = mint('key', 'x').text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const data = await makeDataDir();
    const settings = { SLUICE_DATA_DIR: data.path, SLUICE_DEMO: 'on', SLUICE_DEMO_KEY: mistyped };
    await expect(startNode(settings)).rejects.toThrow(/SLUICE_DEMO_KEY|key/);
    await data.remove();
  });
});
