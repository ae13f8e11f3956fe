import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { inject } from 'vitest';
import type { Tables } from '../../../platform/src/database/index.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { freshDatabase } from '../../support/databases.ts';
import type { NodeClient } from '../rig/client.ts';
import { type RunningNode, startNode } from '../rig/node.ts';

export type PoolsRig = {
  /** The one that all share. */
  readonly shared: RedisServer;
  readonly nodes: readonly RunningNode[];
  readonly db: Kysely<Tables>;
  client(at?: number): NodeClient;
  stop(): Promise<void>;
};

/** Nodes with a Redis and a database of their own. */
export async function openPools({
  nodes: count = 2,
  settings = {},
}: {
  readonly nodes?: number;
  readonly settings?: Readonly<Record<string, string>>;
} = {}): Promise<PoolsRig> {
  const [shared, database, folder] = await Promise.all([
    startRedis(),
    freshDatabase(inject('postgresUrl')),
    createTemporaryFolder('data'),
  ]);
  const nodes: RunningNode[] = [];
  for (let at = 0; at < count; at += 1) {
    nodes.push(
      await startNode({
        SLUICE_DATABASE_URL: database.url,
        SLUICE_REDIS_URL: shared.url,
        SLUICE_DATA_DIR: folder,
        SLUICE_DATABASE_POOL: '4',
        ...settings,
      }),
    );
  }
  return {
    shared,
    nodes,
    db: (nodes[0] as RunningNode).service.foundation.database.db,
    client: (at = 0) => (nodes[at % nodes.length] as RunningNode).client,
    stop: async () => {
      for (const node of nodes) await node.stop();
      await database.drop();
      await Promise.all([shared.stop(), removeFolder(folder)]);
    },
  };
}

/** Asks until it is so. */
export async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 25) {
    if (await isSo()) return;
    await sleep(25);
  }
  throw new Error(`not in time: ${what}`);
}

export type Used = { readonly status: number; readonly basis: string; readonly used: number };

/** One call of a quota, with what is used of it after. */
export async function use(client: NodeClient, key: string, cost = 1): Promise<Used> {
  const { status, body } = await client.check(key, { resource: 'r', subject: 'ann', cost });
  const [limit] = body['limits'] as readonly { readonly used: number }[];
  return { status, basis: body['basis'], used: limit?.used ?? -1 };
}
