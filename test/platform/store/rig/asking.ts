import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { MadeTenant, NodeClient } from '../../rig/client.ts';

const body = { resource: 'GET:/orders', subject: 'ann' };
const everyMs = 20;
const giveUpMs = 30_000;

/** What limits say while the store is away: all are allowed, and it is said that nothing was counted. */
export const openLimit = {
  name: 'open',
  algorithm: 'fixed_window',
  limit: 100_000,
  window_seconds: 3600,
};

/** One check, and what its decision stands on. A caller never hears of the store's own errors. */
export async function askOnce(client: NodeClient, { key }: MadeTenant): Promise<string> {
  const { status, body: answer, text } = await client.check(key, body);
  expect({ status, text }).toMatchObject({ status: 200 });
  expect(text).not.toMatch(/READONLY|MOVED|CLUSTERDOWN|MASTERDOWN|LOADING|ECONN/);
  return answer['basis'];
}

/** How long it takes, from now on, until checks are decided exactly again. */
export async function untilExact(client: NodeClient, tenant: MadeTenant): Promise<number> {
  const startMs = performance.now();
  while ((await askOnce(client, tenant)) !== 'exact') {
    if (performance.now() - startMs > giveUpMs) throw new Error('Not exact again in time.');
    await sleep(everyMs);
  }
  return performance.now() - startMs;
}

/** Until checks are no longer decided exactly. */
export async function untilDegraded(client: NodeClient, tenant: MadeTenant): Promise<void> {
  const startMs = performance.now();
  while ((await askOnce(client, tenant)) === 'exact') {
    if (performance.now() - startMs > giveUpMs) throw new Error('Always exact.');
    await sleep(everyMs);
  }
}
