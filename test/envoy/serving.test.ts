// The whole way of a gateway's question: gRPC, rules from a folder, counters, and the answer.

import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChildNode } from '../platform/rig/child-node.ts';
import { startNode } from '../platform/rig/node.ts';
import { makeStack, type Stack } from '../platform/rig/stacks.ts';
import { findFreePort } from '../servers/free-port.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { DoorClient } from './rig.ts';

const allowed = 25;
const rules = `
domain: shop
descriptors:
  - key: user
    rate_limit: { name: per-user, unit: year, requests_per_unit: ${allowed} }
  - key: path
    rate_limit: { name: per-path, unit: year, requests_per_unit: 1 }
`;
const path = { entries: [{ key: 'path', value: 'search' }] };
const user = { entries: [{ key: 'user', value: 'ann' }] };

let folder: string;
let stack: Stack;

beforeAll(async () => {
  folder = await createTemporaryFolder('rules');
  await writeFile(`${folder}/shop.yaml`, rules);
});

afterAll(() => removeFolder(folder));

it('a refusal of one descriptor charges none of the others', async () => {
  const embedded = await makeStack('embedded, memory');
  const node = await startNode({ ...embedded.settings, SLUICE_RLS_CONFIG_DIR: folder });
  const gateway = new DoorClient(`127.0.0.1:${node.service.grpcPort}`);
  const ask = async () => {
    const { overallCode, statuses } = await gateway.ask({
      domain: 'shop',
      descriptors: [user, path],
    });
    return [overallCode, ...statuses.map((one) => [one['code'], one['limitRemaining'] ?? 0])];
  };
  expect(await ask()).toEqual(['OK', ['OK', 24], ['OK', 0]]);
  for (let times = 0; times < 3; times += 1) {
    expect(await ask()).toEqual(['OVER_LIMIT', ['OK', 24], ['OVER_LIMIT', 0]]);
  }
  expect((await gateway.ask({ domain: 'shop', descriptors: [user] })).statuses[0]).toMatchObject({
    code: 'OK',
    currentLimit: { requestsPerUnit: allowed, unit: 'YEAR', name: 'per-user' },
    limitRemaining: 23,
  });
  expect((await gateway.ask({ domain: 'none', descriptors: [user] })).overallCode).toBe('OK');
  await node.stop();
  await embedded.remove();
});

it('workers share the port and the counters, and go without dropping a call', async () => {
  stack = await makeStack('PostgreSQL, Redis');
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
        const { overallCode } = await gateway.ask({ domain: 'shop', descriptors });
        return overallCode;
      }),
    ),
  );
  expect(codes.filter((code) => code === 'OK')).toHaveLength(allowed);
  expect(codes.filter((code) => code === 'OVER_LIMIT')).toHaveLength(60 - allowed);
  expect((await node.end()).code).toBe(0);
  await stack.remove();
});
