import { afterAll, beforeAll, describe, inject } from 'vitest';
import { systemClock } from '../../../limiter/src/core/clock.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { migratedDatabase } from '../../support/databases.ts';
import { type AnswerWatch, type NodeClient } from './client.ts';
import { makeDataDir, type RunningNode, type Settings, startNode } from './node.ts';

/** Each database and each store once: neither knows of the other. */
const stackKinds = ['embedded, memory', 'PostgreSQL, Redis'] as const;
/** And a Cluster, for what has keys of its own there. Deciding is tried on it engine by engine. */
export const storeKinds = [
  'embedded, memory',
  'PostgreSQL, Redis',
  'PostgreSQL, Redis Cluster',
] as const;
/** Those that several nodes can count in. */
export const sharedStoreKinds = ['PostgreSQL, Redis', 'PostgreSQL, Redis Cluster'] as const;
export type StackKind = (typeof storeKinds)[number] | 'PostgreSQL, memory';

/** What a node stands on, alone with the suite. */
export type Stack = {
  readonly kind: StackKind;
  readonly settings: Settings;
  remove(): Promise<void>;
};

export async function makeStack(kind: StackKind): Promise<Stack> {
  if (kind === 'embedded, memory') {
    const { path, remove } = await makeDataDir();
    return { kind, settings: { SLUICE_DATA_DIR: path }, remove };
  }
  const folder = await createTemporaryFolder('data');
  const { url, drop } = await migratedDatabase();
  return {
    kind,
    settings: {
      SLUICE_DATA_DIR: folder,
      SLUICE_DATABASE_URL: url,
      ...redisOf(kind),
    },
    remove: async () => {
      await drop();
      await removeFolder(folder);
    },
  };
}

function redisOf(kind: StackKind): Settings {
  if (kind === 'PostgreSQL, Redis') return { SLUICE_REDIS_URL: inject('redisUrl') };
  if (kind !== 'PostgreSQL, Redis Cluster') return {};
  const nodes = inject('redisClusterNodes').map(({ host, port }) => `redis://${host}:${port}`);
  return { SLUICE_REDIS_URL: nodes.join(',') };
}

export type StackRig = {
  readonly kind: StackKind;
  readonly node: RunningNode;
  readonly client: NodeClient;
  readonly settings: Settings;
  /**
   * By the clock that decides. In process that is the system's as it was at start: on a machine that was
   * held up for a while since, or whose clock was set, the two differ.
   */
  nowMs(): number;
  /** Ends the node as SIGTERM does, and starts another on what it left. */
  restart(): Promise<void>;
};

/** Runs a suite on a node on each of what a node can stand on. */
export function onEveryStack(
  name: string,
  suite: (rig: StackRig) => void,
  {
    settings = {},
    watch,
    kinds = stackKinds,
  }: {
    readonly settings?: Settings;
    readonly watch?: AnswerWatch;
    readonly kinds?: readonly StackKind[];
  } = {},
): void {
  describe.each(kinds)(`${name} (%s)`, (kind) => {
    let stack: Stack | undefined;
    let node: RunningNode | undefined;
    const running = () => {
      if (!node) throw new Error('The node runs within tests and hooks only.');
      return node;
    };
    const start = async () => {
      stack ??= await makeStack(kind);
      node = await startNode({ ...stack.settings, ...settings }, watch ? { watch } : {});
    };
    beforeAll(start);
    afterAll(async () => {
      await node?.stop();
      await stack?.remove();
    });
    suite({
      kind,
      get node() {
        return running();
      },
      get client() {
        return running().client;
      },
      get settings() {
        return { ...stack?.settings, ...settings };
      },
      nowMs: () => (kind.endsWith('memory') ? systemClock() / 1000 : Date.now()),
      restart: async () => {
        await running().stop();
        await start();
      },
    });
  });
}
