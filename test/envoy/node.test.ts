// A whole node: gRPC beside HTTP, healthy together and gone together.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeStack, type Stack } from '../platform/rig/stacks.ts';
import { startNode } from '../platform/rig/node.ts';
import { CountingService } from './counting-service.ts';
import { DoorClient } from './rig.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await makeStack('embedded, memory');
});

afterAll(() => stack.remove());

it('serves both, says the same of its health on both, and drains both', async () => {
  const rateLimits = new CountingService();
  const node = await startNode({ ...stack.settings, SLUICE_DRAIN_SECONDS: '0.3' }, { rateLimits });
  const gateway = new DoorClient(`127.0.0.1:${node.service.grpcPort}`);
  const health = async () => [
    (await node.client.get('/healthcheck')).status,
    await gateway.check('ratelimit'),
  ];
  expect((await gateway.askFor('ann')).overallCode).toBe('OK');
  expect(await health()).toEqual([200, 'SERVING']);
  const descriptors = [{ entries: [{ key: 'user', value: 'cat' }] }];
  const body = { domain: 'shop', descriptors, hitsAddend: 9 };
  expect((await node.client.ask('POST', '/json', { body })).status).toBe(429);
  const { text } = await node.client.get('/metrics');
  expect(text).toContain('route="/json",status="429"');
  expect(text).not.toMatch(/requests_total\{route="\/json",outcome="rejected"\} [1-9]/);
  expect(text).toContain('grpc_call_duration_seconds_count{method="ShouldRateLimit",code="OK"} 1');
  rateLimits.isLoaded = false;
  expect(await health()).toEqual([500, 'NOT_SERVING']);
  rateLimits.isLoaded = true;
  const stopped = node.stop();
  expect(await health()).toEqual([500, 'NOT_SERVING']);
  expect((await gateway.askFor('bob')).overallCode).toBe('OK');
  await stopped;
  await expect(gateway.askFor('ann')).rejects.toMatchObject({ code: 14 });
});

it('has the routes without gRPC where that is off', async () => {
  const rateLimits = new CountingService();
  const settings = { ...stack.settings, SLUICE_GRPC_ADDR: 'off', SLUICE_DRAIN_SECONDS: '0.3' };
  const node = await startNode(settings, { rateLimits });
  expect(node.service.grpcPort).toBeNull();
  expect((await node.client.get('/healthcheck')).status).toBe(200);
  const stopped = node.stop();
  expect((await node.client.get('/healthcheck')).status).toBe(500);
  await stopped;
});

it('answers nobody without a key where `/json` is off', async () => {
  const rateLimits = new CountingService();
  const node = await startNode({ ...stack.settings, SLUICE_RLS_JSON: 'off' }, { rateLimits });
  const { status } = await node.client.ask('POST', '/json', { body: {} });
  expect(status).toBe(404);
  expect((await node.client.get('/healthcheck')).status).toBe(200);
  await node.stop();
});
