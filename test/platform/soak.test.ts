import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { ChildNode } from './rig/child-node.ts';
import type { MadeTenant, NodeClient } from './rig/client.ts';
import { makeStack } from './rig/stacks.ts';

/** `SOAK_MINUTES=10 npx vitest run test/platform/soak.test.ts` for a real one. */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 1 / 10);
const isLong = minutes >= 1;
const callers = 6;
/** As much traffic at any time: of what is kept for a minute, as tickets are, there is as much then. */
const turnMs = 40;
/** Each costs the node a whole collection. */
const samplesEach = 120;
const sampleEveryMs = Math.max(500, (minutes * 60_000) / samplesEach);

/** As the node itself tells them, when it has freed all that nobody holds. */
type Sample = {
  readonly atMs: number;
  readonly heapMb: number;
  readonly rssMb: number;
  readonly resources: number;
  readonly files: number;
};

const limits = [
  { name: 'bucket', algorithm: 'token_bucket', bucket_capacity: 20, refill_rate_per_sec: 10 },
  { name: 'second', algorithm: 'fixed_window', limit: 500, window_seconds: 1, per: ['tenant'] },
  { name: 'log', algorithm: 'sliding_window_log', limit: 50, window_seconds: 1 },
  { name: 'open', algorithm: 'concurrency', max_concurrent: 50, stale_after_seconds: 1 },
];

describe.each(['embedded, memory', 'PostgreSQL, Redis'] as const)('a node on %s', (kind) => {
  it(
    `grows neither in memory nor in handles in ${Math.round(minutes * 60)} seconds of all kinds of traffic`,
    { timeout: minutes * 60_000 + 120_000 },
    async () => {
      const stack = await makeStack(kind);
      const settings = { ...stack.settings, SLUICE_CHECK_LOG: 'none' };
      const node = await ChildNode.startCollectable(settings);
      const client = node.client;
      const tenants = await Promise.all(
        Array.from({ length: 5 }, () => client.makeTenant({ limits })),
      );
      const over = new AbortController();
      const unexpected = new Set<string>();
      const until = async (work: (turn: number) => Promise<void>) => {
        for (let turn = 0; !over.signal.aborted; turn += 1) {
          await work(turn).catch((error: unknown) => unexpected.add(String(error)));
        }
      };
      const traffic = [
        ...Array.from({ length: callers }, (_, caller) =>
          until(async (turn) => {
            const next = sleep(turnMs);
            await askAll(client, tenants, caller * 1_000_003 + turn);
            await next;
          }),
        ),
        until(() => changeAll(client)),
      ];
      const samples = await takeSamples(node, minutes * 60_000);
      over.abort();
      await Promise.all(traffic);
      expect(await node.end()).toEqual({ code: 0, signal: null });
      await stack.remove();
      expect([...unexpected]).toEqual([]);

      // What it needs, it has by the end of the first third.
      const [early, late] = [part(samples, 1 / 3, 2 / 3), part(samples, 2 / 3, 1)];
      const growth = (of: (sample: Sample) => number) =>
        Math.min(...late.map(of)) - Math.min(...early.map(of));
      const grown = {
        heapMb: growth(({ heapMb }) => heapMb),
        rssMb: growth(({ rssMb }) => rssMb),
        resources: growth(({ resources }) => resources),
        files: growth(({ files }) => files),
      };
      console.log(`soak (${kind})`, JSON.stringify({ ...grown, last: samples.at(-1) }));
      expect(grown.heapMb).toBeLessThan(10);
      expect(grown.rssMb).toBeLessThan(20);
      expect(grown.resources).toBeLessThanOrEqual(10);
      // The embedded database opens a table's files when it is first used, and keeps them. What
      // leaks with each call is in the thousands.
      expect(grown.files).toBeLessThanOrEqual(isLong ? 10 : 60);
    },
  );
});

function part(samples: readonly Sample[], from: number, to: number): readonly Sample[] {
  return samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * to));
}

async function takeSamples(node: ChildNode, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const endMs = Date.now() + durationMs;
  while (Date.now() < endMs) {
    await node.collect();
    samples.push(await takeSample(node.client));
    await sleep(sampleEveryMs);
  }
  return samples;
}

async function takeSample(client: NodeClient): Promise<Sample> {
  const { text } = await client.get('/metrics');
  const value = (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    atMs: Date.now(),
    heapMb: value('nodejs_heap_size_used_bytes') / 2 ** 20,
    rssMb: value('process_resident_memory_bytes') / 2 ** 20,
    resources: value('nodejs_active_resources_total'),
    // Not told on every system.
    files: value('process_open_fds') || 0,
  };
}

/** Checks of every kind, allowed and refused, right and wrong. */
async function askAll(
  client: NodeClient,
  tenants: readonly MadeTenant[],
  turn: number,
): Promise<void> {
  const { key } = tenants[turn % tenants.length] as MadeTenant;
  const body = { resource: `GET:/orders/${turn % 1000}`, subject: `subject ${turn}` };
  const kept = { ...body, subject: 'always the same' };
  await requireStatus(client.check(key, body), [200, 429]);
  await requireStatus(client.check(key, kept), [200, 429]);
  await requireStatus(client.check(key, { ...kept, cost: 0 }), [200]);
  // Kept for a day each, so they come again and again here.
  const again = {
    resource: 'GET:/',
    subject: `again ${turn % 100}`,
    idempotency_key: 'soak-again',
  };
  await requireStatus(client.check(key, again), [200, 429]);
  await requireStatus(client.checks(key, [body, {}, kept, body]), [200]);
  await requireStatus(client.check(key, { nonsense: turn }), [400]);
  await requireStatus(client.get(`/v1/nothing/${turn}`), [404]);
  if (turn % 20 === 0) await requireStatus(client.check(mint('key', 'x').text, body), [401, 429]);
}

/** The whole life of a tenant. */
async function changeAll(client: NodeClient): Promise<void> {
  const { id, key, keyId, planId } = await client.makeTenant({ limits });
  const body = { resource: 'GET:/', subject: 'ann' };
  await requireStatus(client.check(key, body), [200]);
  await client.change('PATCH', `plans/${planId}`, { limits: limits.slice(1) });
  await client.change('POST', 'policies', { tenant_id: id, resource: 'GET:/*', cost: 2 });
  const rotated = await client.change('POST', `keys/${keyId}/rotate`, { overlap_seconds: 0 });
  await requireStatus(client.check(rotated['key'], body), [200]);
  await client.change('DELETE', `keys/${rotated['id']}`);
  await requireStatus(client.check(rotated['key'], body), [401, 429]);
  await requireStatus(client.admin('GET', 'audit?limit=50'), [200]);
  await client.change('DELETE', `tenants/${id}`);
  await sleep(50);
}

async function requireStatus(
  asked: Promise<{ readonly status: number; readonly text: string }>,
  expected: readonly number[],
): Promise<void> {
  const { status, text } = await asked;
  if (!expected.includes(status)) throw new Error(`${status}: ${text.slice(0, 150)}`);
}
