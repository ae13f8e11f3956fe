// The whole way of a gateway's question: gRPC, rules from a folder, counters, and the answer.

import { copyFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChildNode } from '../platform/rig/child-node.ts';
import { startNode } from '../platform/rig/node.ts';
import { makeStack } from '../platform/rig/stacks.ts';
import { findFreePort } from '../servers/free-port.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { DoorClient, type Said } from './rig.ts';

const allowed = 25;
const rules = `
domain: yearly
descriptors:
  - key: user
    rate_limit: { name: per-user, unit: year, requests_per_unit: ${allowed} }
  - key: path
    rate_limit: { name: per-path, unit: year, requests_per_unit: 1 }
  - key: client
    rate_limit: { unit: year, requests_per_unit: ${allowed} }
    sluice: { grant: 20 }
`;
const sidecarRules = new URL('../../deploy/envoy/ratelimit/shop.yaml', import.meta.url);
const path = { entries: [{ key: 'path', value: 'search' }] };
const user = { entries: [{ key: 'user', value: 'ann' }] };

let folder: string;

beforeAll(async () => {
  folder = await createTemporaryFolder('rules');
  await writeFile(`${folder}/yearly.yaml`, rules);
  await copyFile(sidecarRules, `${folder}/shop.yaml`);
});

afterAll(() => removeFolder(folder));

it('a refusal charges none of its descriptors; the rules of the sidecar are read as they are', async () => {
  const embedded = await makeStack('embedded, memory');
  const node = await startNode({ ...embedded.settings, SLUICE_RLS_CONFIG_DIR: folder });
  const gateway = new DoorClient(`127.0.0.1:${node.service.grpcPort}`);
  const ask = async () => {
    const { overallCode, statuses } = await gateway.ask({
      domain: 'yearly',
      descriptors: [user, path],
    });
    return [overallCode, ...statuses.map((one) => [one['code'], one['limitRemaining'] ?? 0])];
  };
  expect(await ask()).toEqual(['OK', ['OK', 24], ['OK', 0]]);
  for (let times = 0; times < 3; times += 1) {
    expect(await ask()).toEqual(['OVER_LIMIT', ['OK', 24], ['OVER_LIMIT', 0]]);
  }
  expect((await gateway.ask({ domain: 'yearly', descriptors: [user] })).statuses[0]).toMatchObject({
    code: 'OK',
    currentLimit: { requestsPerUnit: allowed, unit: 'YEAR', name: 'per-user' },
    limitRemaining: 23,
  });
  const [all, each] = [
    { key: 'path', value: 'search' },
    { key: 'user', value: 'ann' },
  ];
  const address = { key: 'masked_remote_address', value: '192.0.2.1/32' };
  const { statuses } = await gateway.ask({
    domain: 'shop',
    descriptors: [[each], [address], [all], [all, each]].map((entries) => ({ entries })),
  });
  expect(statuses.map((one) => (one['currentLimit'] as { name: string }).name)).toEqual([
    'per-user',
    'per-address',
    'search',
    'search-per-user',
  ]);
  expect((await gateway.ask({ domain: 'none', descriptors: [user] })).overallCode).toBe('OK');
  await node.stop();
  await embedded.remove();
});

it('a grant is told with its end and charged at once; A6 statistics carry the tags', async () => {
  const embedded = await makeStack('embedded, memory');
  const tags = { SLUICE_RLS_TAGS: 'region=eu,cell=b' };
  const node = await startNode({ ...embedded.settings, ...tags, SLUICE_RLS_CONFIG_DIR: folder });
  const gateway = new DoorClient(`127.0.0.1:${node.service.grpcPort}`);
  const descriptors = [{ entries: [{ key: 'client', value: 'ann' }] }];
  const ask = async () => {
    const { statuses } = await gateway.ask({ domain: 'yearly', descriptors });
    return statuses[0] as Said;
  };
  const yearEnds = [0, 1].map((more) => Date.UTC(new Date().getUTCFullYear() + more + 1, 0) / 1000);
  const first = await ask();
  expect(first).toMatchObject({ code: 'OK', limitRemaining: 4, quota: { requests: 20 } });
  const { validUntil, id } = first['quota'] as {
    readonly validUntil: { readonly seconds: number };
    readonly id: string;
  };
  expect(yearEnds).toContain(validUntil.seconds);
  expect(id).toMatch(/^[\w-]{22}$/);
  const second = await ask();
  expect(second).toMatchObject({ code: 'OK', limitRemaining: 3 });
  expect(second['quota'] ?? null).toBeNull();
  const { text } = await node.client.get('/metrics');
  const labels = 'region="eu",cell="b",domain="yearly",key1="client",key2=""';
  expect(text).toContain(`ratelimit_service_rate_limit_total_hits{${labels}} 22`);
  await node.stop();
  await embedded.remove();
});

it('workers share the port and the counters, and go without dropping a call', async () => {
  const stack = await makeStack('PostgreSQL, Redis');
  const port = await findFreePort();
  const settings = {
    ...stack.settings,
    SLUICE_RLS_CONFIG_DIR: folder,
    SLUICE_RLS_DEADLINE_MS: '5000',
    SLUICE_GRPC_ADDR: `127.0.0.1:${port}`,
  };
  const node = await ChildNode.start(settings, ['serve', '--workers', '2']);
  const descriptors = [
    { entries: [{ key: 'user', value: stack.settings['SLUICE_DATABASE_URL'] }] },
  ];
  const gateways = Array.from(
    { length: 6 },
    () => new DoorClient(`127.0.0.1:${port}`, undefined, { 'grpc.use_local_subchannel_pool': 1 }),
  );
  const codes = await Promise.all(
    gateways.flatMap((gateway) =>
      Array.from({ length: 10 }, async () => {
        const { overallCode } = await gateway.ask({ domain: 'yearly', descriptors });
        return overallCode;
      }),
    ),
  );
  expect(codes.filter((code) => code === 'OK')).toHaveLength(allowed);
  expect(codes.filter((code) => code === 'OVER_LIMIT')).toHaveLength(60 - allowed);
  expect((await node.end()).code).toBe(0);
  await stack.remove();
});
