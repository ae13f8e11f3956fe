// Several processes on one port, from what is published.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it, onTestFinished } from 'vitest';
import { ChildNode } from '../platform/rig/child-node.ts';
import { DoorClient } from './rig.ts';

const programPath = fileURLToPath(new URL('workers-program.mjs', import.meta.url));
const ownConnection = { 'grpc.use_local_subchannel_pool': 1 };

it('each connection is one worker’s, and each worker gets its share of them', async () => {
  const mainPath = inject('programPath');
  if (mainPath === null) throw new Error('The service does not compile (see above).');
  const node = ChildNode.run([programPath, dirname(mainPath)], {});
  onTestFinished(async () => void (await node.end()));
  await node.until(/listening on \d+/);
  const [, port] = /listening on (\d+)/.exec(node.output) ?? [];
  const served = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const gateway = new DoorClient(`127.0.0.1:${port}`, undefined, ownConnection);
      const answers = await Promise.all([1, 2, 3].map(() => gateway.askFor('ann')));
      return answers.map((answer) => String(answer['rawBody']));
    }),
  );
  for (const pids of served) expect(new Set(pids).size).toBe(1);
  expect(new Set(served.flat()).size).toBe(2);
});
