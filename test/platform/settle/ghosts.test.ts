import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { startNode, type RunningNode } from '../rig/node.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';
import { lasting } from './rig.ts';

let proxy: FaultProxy;
let stack: Stack;
let node: RunningNode;

beforeAll(async () => {
  proxy = await FaultProxy.start(Number(new URL(inject('redisUrl')).port));
  stack = await makeStack('PostgreSQL, Redis');
  node = await startNode({
    ...stack.settings,
    SLUICE_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    SLUICE_STORE_DEADLINE_MS: '150',
  });
});

afterAll(async () => {
  await node?.stop();
  await stack?.remove();
  await proxy?.stop();
});

const call = { resource: 'r', subject: 's' };
const limits = [
  { name: 'slots', algorithm: 'concurrency', max_concurrent: 5, stale_after_seconds: 3600 },
  { name: 'tokens', algorithm: 'fixed_window', unit: 'tokens', limit: 100, window_seconds: 3600 },
];

async function usedBy(key: string): Promise<Record<string, number> | null> {
  const { body } = await node.client.check(key, { ...call, cost: 0 });
  if ((body['basis'] as string) !== 'exact') return null;
  const shown = body['limits'] as { name: string; used: number }[];
  return Object.fromEntries(shown.map(({ name, used }) => [name, used]));
}

/** Asks until the store has answered: what came before was for nothing. */
async function warm(key: string): Promise<void> {
  await expect.poll(() => usedBy(key), lasting).not.toBeNull();
}

it.each([
  ['comes too late', { kind: 'delay', ms: 600 }],
  ['is lost with its connection', { kind: 'reset_on_reply' }],
] as const)('a check whose answer %s leaves neither slot nor hold behind', async (_what, fault) => {
  const { key } = await node.client.makeTenant({ limits });
  await warm(key);
  const asked = { ...call, costs: { tokens: 30 }, reserve: { ttl_ms: 3_600_000 } };
  // Once as it should be: else a lost NOSCRIPT would be a check that never ran.
  const { body } = await node.client.check(key, asked);
  await node.client.follow(key, 'release', { ticket: body['ticket'] });
  const { id } = body['reservation'] as { id: string };
  await node.client.follow(key, 'settle', { reservation_id: id, cost: 0, costs: { tokens: 0 } });
  proxy.fault = fault;
  const lost = await node.client.check(key, asked);
  expect(lost.status).toBe(200);
  expect(lost.body).toMatchObject({ basis: 'fail_open', ticket: null, reservation: null });
  proxy.fault = { kind: 'pass' };
  await expect.poll(() => usedBy(key), lasting).toEqual({ slots: 0, tokens: 0 });
});

it('under an idempotency key the retry is given what the lost answer took', async () => {
  const { key } = await node.client.makeTenant({ limits });
  await warm(key);
  await node.client.check(key, { ...call, idempotency_key: 'warm-up-key' });
  const asked = { ...call, subject: 'other', idempotency_key: 'an-upload-of-ann' };
  proxy.fault = { kind: 'delay', ms: 600 };
  const lost = await node.client.check(key, asked);
  expect(lost.body).toMatchObject({ basis: 'fail_open', ticket: null });
  proxy.fault = { kind: 'pass' };
  let again = await node.client.check(key, asked);
  while ((again.body['basis'] as string) !== 'exact') again = await node.client.check(key, asked);
  expect(again.body).toMatchObject({ allowed: true, replayed: true });
  const released = await node.client.follow(key, 'release', { ticket: again.body['ticket'] });
  expect(released.body).toEqual({ released: true });
});
