// The whole service on rules from a management server: readiness, reloads, refusals, and what outlives it.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DoorClient, failing } from '../envoy/rig.ts';
import { ChildNode } from '../platform/rig/child-node.ts';
import { startNode, type RunningNode } from '../platform/rig/node.ts';
import { makeStack, type Stack } from '../platform/rig/stacks.ts';
import { findFreePort } from '../servers/free-port.ts';
import { ManagementServer } from './management-server.ts';

const failedPrecondition = 9;
const rule = (domain: string, allowed: number) =>
  `domain: ${domain}\ndescriptors: [{ key: key1, rate_limit: { unit: year, requests_per_unit: ${allowed} } }]\n`;
const patience = { timeout: 30_000, interval: 20 };

describe('a node with a management server', () => {
  const server = new ManagementServer();
  let stack: Stack | undefined;
  let node: RunningNode | undefined;
  beforeAll(async () => {
    await server.start();
    stack = await makeStack('PostgreSQL, Redis');
    node = await startNode({
      ...stack.settings,
      SLUICE_RLS_XDS_URL: server.address,
      SLUICE_RLS_XDS_NODE: 'edge',
      SLUICE_RLS_DEADLINE_MS: '5000',
    });
  });
  afterAll(async () => {
    await node?.stop();
    await stack?.remove();
    server.stop();
  });
  const running = () => node as RunningNode;
  const gateway = () => new DoorClient(`127.0.0.1:${running().service.grpcPort}`);
  const ask = async (domain: string) => {
    const descriptors = [{ entries: [{ key: 'key1', value: 'x' }] }];
    const { statuses } = await gateway().ask({ domain, descriptors });
    const { code, limitRemaining = 0 } = statuses[0] as Record<string, unknown>;
    return `${String(code)} ${String(limitRemaining)}`;
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`${running().url}/metrics`)).text();
    return Number(new RegExp(`^ratelimit_service_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };

  it('A12, C8 is not ready before there are rules, and ready with the first', async () => {
    await vi.waitFor(() => expect(server.heard[0]?.node?.id).toBe('edge'), patience);
    expect(await gateway().check('ratelimit')).toBe('NOT_SERVING');
    expect((await fetch(`${running().url}/healthcheck`)).status).toBe(500);
    await expect(ask('basic')).rejects.toMatchObject(
      failing(failedPrecondition, /^no rate limit configuration loaded$/),
    );
    server.publish(rule('basic', 50));
    await vi.waitFor(
      async () => expect(await gateway().check('ratelimit')).toBe('SERVING'),
      patience,
    );
    expect((await fetch(`${running().url}/healthcheck`)).status).toBe(200);
    expect(await ask('basic')).toBe('OK 49');
  });

  it('A12, A7 takes up a domain that comes, and forgets it when it goes', async () => {
    expect(await ask('reload')).toBe('OK 0');
    const loads = await metric('config_load_success');
    server.publish(rule('basic', 50), rule('reload', 50));
    await vi.waitFor(async () => expect(await ask('reload')).toBe('OK 49'), patience);
    expect(await metric('config_load_success')).toBe(loads + 1);
    server.publish(rule('basic', 50));
    await vi.waitFor(async () => expect(await ask('reload')).toBe('OK 0'), patience);
    expect(await metric('config_load_success')).toBe(loads + 2);
    expect(await ask('basic')).toBe('OK 48');
  });

  it('A12, C2 keeps what it has when the next can not be used, and says why', async () => {
    const errors = await metric('config_load_error');
    server.publish('domain: bad\ndescriptors: [{ value: x }]\n');
    await vi.waitFor(
      () => expect(server.answers.at(-1)).toBe('bad: descriptor has empty key'),
      patience,
    );
    expect(await metric('config_load_error')).toBe(errors + 1);
    const said = () =>
      running().log().split('"problem":"bad: descriptor has empty key"').length - 1;
    // Lines are written when there is time.
    await vi.waitFor(() => expect(said()).toBe(1), patience);
    expect(await ask('basic')).toBe('OK 47');
  });

  it('serves on by the last rules while the server is away, and takes up others when it is back', async () => {
    server.stop();
    await vi.waitFor(() => expect(running().log()).toContain('"event":"rls.xds_lost"'), patience);
    expect(await ask('basic')).toBe('OK 46');
    expect(await gateway().check('ratelimit')).toBe('SERVING');
    server.publish(rule('basic', 60));
    await server.start();
    await vi.waitFor(() => expect(running().log()).toContain('"event":"rls.xds_back"'), patience);
    // What was used stays: 4 calls so far.
    expect(await ask('basic')).toBe('OK 55');
  });
});

it('each worker follows the management server, and all count together', async () => {
  const server = await new ManagementServer().start();
  const stack = await makeStack('PostgreSQL, Redis');
  const port = await findFreePort();
  const node = await ChildNode.start(
    {
      ...stack.settings,
      SLUICE_RLS_XDS_URL: server.address,
      SLUICE_RLS_DEADLINE_MS: '5000',
      SLUICE_GRPC_ADDR: `127.0.0.1:${port}`,
    },
    ['serve', '--workers', '2'],
  );
  server.publish(rule('basic', 5));
  await vi.waitFor(() => expect(server.answers).toEqual(['took 1', 'took 1']), patience);
  // One that is still starting would end by the signal below, and not in order.
  const { key } = await node.client.makeTenant();
  const pidsSeen = () =>
    new Set(node.output.match(/(?<="pid":)\d+(?=[^\n]*"event":"api\.v1\.check")/g));
  await vi.waitFor(async () => {
    await node.client.check(key, { resource: 'GET:/a', subject: 'me' }, { connection: 'close' });
    expect(pidsSeen().size).toBe(2);
  }, patience);
  const gateways = Array.from(
    { length: 6 },
    () => new DoorClient(`127.0.0.1:${port}`, undefined, { 'grpc.use_local_subchannel_pool': 1 }),
  );
  const value = stack.settings['SLUICE_DATABASE_URL'];
  const descriptors = [{ entries: [{ key: 'key1', value }] }];
  const answers = await Promise.all(
    gateways.flatMap((gateway) =>
      Array.from({ length: 5 }, () => gateway.ask({ domain: 'basic', descriptors })),
    ),
  );
  expect(answers.filter(({ overallCode }) => overallCode === 'OK')).toHaveLength(5);
  expect((await node.end()).code).toBe(0);
  await stack.remove();
  server.stop();
});
