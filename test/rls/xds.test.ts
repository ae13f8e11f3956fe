// Rules from a management server: how they come, are answered, and outlive it.

import { createServer } from 'node:net';
import { ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildConfig } from '../../platform/src/rls/config/tree.ts';
import { readSource } from '../../platform/src/rls/config/yaml-source.mjs';
import { messageBytesMax } from '../../platform/src/rls/xds/connect.ts';
import { Certificates } from '../envoy/certificates.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { ManagementServer, resourceOf, typeUrl } from './management-server.ts';
import { openXds, xdsOf } from './rig.ts';

const rules = (domain: string, unit = 'day') =>
  `domain: ${domain}\ndescriptors:\n  - { key: a, rate_limit: { unit: ${unit}, requests_per_unit: 1 } }\n`;
const patience = { timeout: 20_000, interval: 5 };
const until = (check: () => void) => vi.waitFor(check, patience);

async function serve(...files: readonly string[]): Promise<ManagementServer> {
  const server = await new ManagementServer().start();
  onTestFinished(() => server.stop());
  if (files.length > 0) server.publish(...files);
  return server;
}

describe('a management server', () => {
  it('is asked once for all rules of the node, and each state of them is acknowledged', async () => {
    const server = await serve(rules('one'));
    const { xds, loads } = await openXds(server.address, { nodeId: 'edge-7' });
    const domains = () => [...(xds.config?.keys() ?? [])];
    expect(domains()).toEqual(['one']);
    server.publish(rules('one'), rules('two'));
    await until(() => expect(domains()).toEqual(['one', 'two']));
    server.publish(rules('two'));
    await until(() => expect(domains()).toEqual(['two']));
    server.publish();
    await until(() => expect(domains()).toEqual([]));
    await until(() => expect(server.answers).toEqual(['took 1', 'took 2', 'took 3', 'took 4']));
    expect(loads).toEqual([true, true, true, true]);
    expect(server.heard[0]).toMatchObject({
      node: { id: 'edge-7' },
      type_url: typeUrl,
      version_info: '',
      response_nonce: '',
    });
    expect(server.heard.map((one) => one.response_nonce).slice(1)).toEqual(
      [1, 2, 3, 4].map((version) => `nonce-${version}`),
    );
    expect(server.streams).toBe(1);
  });

  it('says what files say: the same rules come of both', async () => {
    const text = `
domain: shop
descriptors:
  - key: user
    rate_limit: { name: per-user, unit: week, requests_per_unit: 4294967295, replaces: [{ name: other }] }
    metadata: { who: me, deep: { list: [1, two, true, null], empty: {} } }
  - { key: user, value: free, rate_limit: { unlimited: true } }
  - { key: none, rate_limit: { unit: second } }
  - key: path
    value: "/a/*"
    detailed_metric: true
    descriptors:
      - { key: method, shadow_mode: true, rate_limit: { unit: year, requests_per_unit: 2 } }
      - { key: method, value: GET, quota_mode: true, rate_limit: { unit: month, requests_per_unit: 3 } }
  - key: allowed
`;
    const server = await serve(text);
    const { xds } = await openXds(server.address);
    const files = [{ name: 'shop.yaml', read: readSource(text) }];
    expect(xds.config).toEqual(buildConfig(files, { isMerging: false }));
  });

  it('may send several resources of one domain where they are merged', async () => {
    const more = rules('one').replace('key: a', 'key: b');
    const server = await serve(rules('one'), more);
    const { xds } = await openXds(server.address, { isMerging: true });
    expect([...(xds.config?.get('one')?.anyValue.keys() ?? [])]).toEqual(['a', 'b']);
  });

  it('that has nothing for the node leaves it without rules until it has', async () => {
    const server = await serve();
    const opened = openXds(server.address);
    await until(() => expect(server.heard).toHaveLength(1));
    server.publish(rules('one'));
    expect([...((await opened).xds.config?.keys() ?? [])]).toEqual(['one']);
  });
});

describe('a state of the world that can not be used', () => {
  const bad = 'domain: bad\ndescriptors: [{ value: x }]\n';

  it('is refused with its reason, counted and said once; what there was stays', async () => {
    const server = await serve(rules('one'));
    const { xds, loads, problems } = await openXds(server.address);
    server.publish(rules('two'), bad);
    await until(() => expect(server.answers).toEqual(['took 1', 'bad: descriptor has empty key']));
    expect(server.heard.at(-1)).toMatchObject({
      version_info: '1',
      response_nonce: 'nonce-2',
      error_detail: { code: 3 },
    });
    expect([...(xds.config?.keys() ?? [])]).toEqual(['one']);
    server.publish(rules('two'));
    await until(() => expect([...(xds.config?.keys() ?? [])]).toEqual(['two']));
    expect([loads, problems]).toEqual([[true, false, true], ['bad: descriptor has empty key']]);
  });

  it('that comes again and again is answered more slowly, and counted once', async () => {
    const server = await serve(rules('one'));
    const { xds, loads, problems } = await openXds(server.address);
    server.isInsisting = true;
    server.publish(bad);
    await until(() => expect(server.answers.length).toBeGreaterThan(5));
    expect([loads, problems.length]).toEqual([[true, false], 1]);
    server.publish(rules('two'));
    await until(() => expect([...(xds.config?.keys() ?? [])]).toEqual(['two']));
  });

  it.each([
    ['B13 no domain', 'descriptors: []\n', /^resource 1: config file cannot have empty domain$/],
    ['B13 an unknown unit', rules('d', 'fortnight'), /^d: invalid rate limit unit '99'$/],
    [
      'B13 no unit',
      'domain: d\ndescriptors: [{ key: a, rate_limit: { requests_per_unit: 1 } }]\n',
      /^d: invalid rate limit unit 'UNKNOWN'$/,
    ],
    [
      'B13 a unit beside unlimited',
      'domain: d\ndescriptors: [{ key: a, rate_limit: { unit: day, unlimited: true } }]\n',
      /^d: should not specify rate limit unit when unlimited$/,
    ],
    [
      'B13 the same twice',
      'domain: d\ndescriptors: [{ key: a, value: b }, { key: a, value: b }]\n',
      /^d: duplicate descriptor composite key 'd\.a_b'$/,
    ],
    [
      'B13 one that replaces itself',
      'domain: d\ndescriptors: [{ key: a, rate_limit: { unit: day, name: n, replaces: [{ name: n }] } }]\n',
      /^d: replaces should not contain name of same descriptor$/,
    ],
    [
      'a name that would write headers',
      "domain: d\ndescriptors: [{ key: a, rate_limit: { unit: day, name: '\"' } }]\n",
      /^d: name must be at most 128/,
    ],
  ])('is refused in the words of files: %s', async (_, text, expected) => {
    const server = await serve(text);
    await openXds(server.address);
    await until(() => expect(server.answers[0]).toMatch(expected));
  });

  it('B13 one domain in two resources is refused', async () => {
    const server = await serve(rules('one'), rules('one'));
    await openXds(server.address);
    await until(() =>
      expect(server.answers).toEqual(["one: duplicate domain 'one' in config file"]),
    );
  });

  it.each([
    ['bytes that are no message', { type_url: typeUrl, value: Buffer.from([0x0a, 0xff]) }],
    ['another kind of message', { ...resourceOf(rules('one')), type_url: 'type.example/other' }],
    ['descriptors without end', { type_url: typeUrl, value: nestedDescriptors(5000) }],
  ])('is refused whole: %s', async (_, resource) => {
    const server = await serve();
    server.publishBytes(resourceOf(rules('one')), resource);
    const { xds } = await openXds(server.address);
    await until(() =>
      expect(server.answers[0]).toMatch(/^resource 2: error loading config file: /),
    );
    expect(xds.config).toBeNull();
  });

  it('is refused where it is of something else, and leaves the rules there are', async () => {
    const server = await serve(rules('one'));
    const { xds } = await openXds(server.address);
    server.responseType = 'type.example/clusters';
    server.publish();
    await until(() =>
      expect(server.answers.at(-1)).toBe("a response of 'type.example/clusters' was not asked for"),
    );
    expect([...(xds.config?.keys() ?? [])]).toEqual(['one']);
  });

  it('is not even read where it is too large; the next that fits is', async () => {
    const server = await serve(rules('one'));
    const { xds, losses } = await openXds(server.address);
    server.publish(rules('two'), `domain: ${'x'.repeat(messageBytesMax)}`);
    await until(() => expect(losses[0]).toMatch(/larger than max/));
    expect([...(xds.config?.keys() ?? [])]).toEqual(['one']);
    server.publish(rules('two'));
    await until(() => expect([...(xds.config?.keys() ?? [])]).toEqual(['two']));
  });
});

describe('a management server that is away', () => {
  it('leaves the rules as they were, and is found again with others', async () => {
    const server = await serve(rules('one'));
    const { xds, losses, loads } = await openXds(server.address);
    await until(() => expect(server.answers).toEqual(['took 1']));
    server.stop();
    await until(() => expect(losses.length).toBeGreaterThan(0));
    expect([...(xds.config?.keys() ?? [])]).toEqual(['one']);
    await server.start();
    await until(() => expect(losses.at(-1)).toBe('back'));
    // The same as before: nothing to load.
    await until(() => expect(server.answers).toEqual(['took 1', 'took 1']));
    expect(loads).toEqual([true]);
    server.stop();
    server.publish(rules('two'));
    await server.start();
    await until(() => expect([...(xds.config?.keys() ?? [])]).toEqual(['two']));
    // A new stream begins anew: versions of another life mean nothing.
    const first = server.heard.filter(({ response_nonce: nonce }) => nonce === '');
    expect(first.map((one) => [one.version_info, one.node?.id])).toEqual(
      first.map(() => ['', 'test']),
    );
  });

  it('from the start is asked until it is there, and said once', async () => {
    const server = await serve(rules('one'));
    server.stop();
    const { xds, losses } = await openXds(server.address);
    expect(xds.config).toBeNull();
    await server.start();
    await until(() => expect([...(xds.config?.keys() ?? [])]).toEqual(['one']));
    expect(losses.filter((one) => one !== 'back')).toHaveLength(1);
  });

  it('does not keep who closes waiting, connected or not', async () => {
    const server = await serve(rules('one'));
    const { xds } = await openXds(server.address);
    await xds.close();
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await until(() => expect(silent.listening).toBe(true));
    const { port } = silent.address() as { port: number };
    const { xds: waiting } = xdsOf(`127.0.0.1:${port}`);
    await waiting.open();
    await waiting.close();
    expect([xds.config?.size, waiting.config]).toEqual([1, null]);
  });
});

describe('over TLS', () => {
  it('both show certificates, and the server’s must bear its name', async () => {
    const folder = await createTemporaryFolder('xds-tls');
    onTestFinished(() => removeFolder(folder));
    const certificates = new Certificates(folder);
    const authority = await certificates.authority('authority');
    const own = await certificates.signed('server', authority, 'DNS:control.example');
    const client = await certificates.signed('client', authority, 'DNS:sluice');
    const [{ cert: ca }, { cert, key }] = [await authority.read(), await own.read()];
    const server = new ManagementServer();
    const pair = [{ private_key: key, cert_chain: cert }];
    await server.start(ServerCredentials.createSsl(ca, pair, true));
    onTestFinished(() => server.stop());
    server.publish(rules('one'));
    const tls = {
      caPath: authority.certPath,
      certPath: client.certPath,
      keyPath: client.keyPath,
      name: 'control.example',
    };
    const open = async (changed: Partial<typeof tls> | { certPath: null; keyPath: null }) => {
      const { xds } = await openXds(server.address, {
        server: { address: server.address, tls: { ...tls, ...changed } },
      });
      return xds.config?.size ?? null;
    };
    expect(await open({})).toBe(1);
    expect(await open({ name: 'other.example' })).toBeNull();
    expect(await open({ certPath: null, keyPath: null })).toBeNull();
    expect(await open({ caPath: client.certPath })).toBeNull();
    expect(await open({ caPath: `${folder}/absent.pem` })).toBeNull();
  });
});

/** Each in the descriptors of the one before. */
function nestedDescriptors(depth: number): Buffer {
  let inner = Buffer.from([0x0a, 0x01, 0x61]);
  for (let level = 0; level < depth; level += 1) {
    inner = Buffer.concat([Buffer.from([0x0a, 0x01, 0x61, 0x22]), lengthOf(inner), inner]);
  }
  return Buffer.concat([Buffer.from([0x12, 0x01, 0x64, 0x1a]), lengthOf(inner), inner]);
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
