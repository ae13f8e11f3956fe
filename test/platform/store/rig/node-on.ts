import type { NodeClient } from '../../rig/client.ts';
import { type RunningNode, type Settings, startNode } from '../../rig/node.ts';
import { makeStack } from '../../rig/stacks.ts';

export type NodeOn = {
  readonly node: RunningNode;
  readonly client: NodeClient;
  stop(): Promise<void>;
};

/** A whole node that counts in this Redis, with a database of its own. */
export async function startNodeOn(redisUrl: string, settings: Settings = {}): Promise<NodeOn> {
  const stack = await makeStack('PostgreSQL, memory');
  try {
    const node = await startNode({
      ...stack.settings,
      SLUICE_REDIS_URL: redisUrl,
      ...settings,
    });
    const stop = async () => {
      await node.stop();
      await stack.remove();
    };
    return { node, client: node.client, stop };
  } catch (error) {
    await stack.remove();
    throw error;
  }
}
