import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratedDatabase } from '../../support/databases.ts';
import { ChildNode } from '../../platform/rig/child-node.ts';
import { NodeClient } from '../../platform/rig/client.ts';
import type { Settings } from '../../platform/rig/node.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import type { CleanUp } from './campaign.ts';

/** A node as its operator runs it: a process of its own, with the deadline of the defaults. */
export type ServiceNode = { readonly process: ChildNode; readonly client: NodeClient };

export type Service = {
  readonly nodes: readonly ServiceNode[];
  /** Of the first. */
  readonly client: NodeClient;
  readonly url: string;
  readonly databaseUrl: string;
};

const patienceMs = 10_000;
const pollMs = 50;
const adminToken = `token-${randomUUID()}`;

export async function startService(
  cleanUp: CleanUp,
  options: {
    readonly redisUrl: string;
    /** An address of each node's own, such as through a proxy. */
    readonly redisUrls?: readonly string[];
    /** A database with all its tables; one of its own unless given. */
    readonly databaseUrl?: string;
    readonly count?: number;
    readonly settings?: Settings;
  },
): Promise<Service> {
  const folder = await createTemporaryFolder('faults');
  cleanUp(() => removeFolder(folder));
  const databaseUrl = options.databaseUrl ?? (await makeDatabase(cleanUp));
  const nodes: ServiceNode[] = [];
  for (let at = 0; at < (options.count ?? 1); at += 1) {
    const node = ChildNode.spawn({
      SLUICE_DATA_DIR: folder,
      SLUICE_DATABASE_URL: databaseUrl,
      SLUICE_DATABASE_POOL: '4',
      SLUICE_REDIS_URL: options.redisUrls?.[at] ?? options.redisUrl,
      SLUICE_STORE_DEADLINE_MS: '50',
      SLUICE_ADMIN_TOKEN: adminToken,
      SLUICE_CHECK_LOG: 'none',
      ...options.settings,
    });
    cleanUp(() => (node.isRunning ? node.end('SIGKILL') : null));
    await node.until(/Sluice is listening on \S+/);
    nodes.push({ process: node, client: new NodeClient(node.url, adminToken) });
  }
  const [first] = nodes;
  if (!first) throw new Error('a service has a node');
  return { nodes, client: first.client, url: first.client.url, databaseUrl };
}

async function makeDatabase(cleanUp: CleanUp): Promise<string> {
  const { url, drop } = await migratedDatabase();
  cleanUp(drop);
  return url;
}

/** What a node says of itself, by the names of its metrics; NaN for what it does not say. */
export async function metricOf(client: NodeClient, name: string): Promise<number> {
  const { text } = await client.get('/metrics');
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line));
  if (lines.length === 0) return Number.NaN;
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** The same, once it is as large, or after a while. */
export async function metricOnce(
  client: NodeClient,
  name: string,
  isAtLeast: number,
): Promise<number> {
  const giveUpMs = performance.now() + patienceMs;
  for (;;) {
    const value = await metricOf(client, name);
    if (value >= isAtLeast || performance.now() > giveUpMs) return value;
    await sleep(pollMs);
  }
}

export async function memoryMb(client: NodeClient): Promise<number> {
  return (await metricOf(client, 'process_resident_memory_bytes')) / 2 ** 20;
}

/** Of the time since this was asked for last. */
export async function eventLoopP99Ms(client: NodeClient): Promise<number> {
  return (await metricOf(client, 'nodejs_eventloop_lag_p99_seconds')) * 1000;
}
