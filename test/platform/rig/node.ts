import { join } from 'node:path';
import { inject } from 'vitest';
import { readConfig } from '../../../platform/src/config.ts';
import type { RateLimitService } from '../../../platform/src/rls/ask.ts';
import { type Service, startService } from '../../../platform/src/service/index.ts';
import { copyFolder } from '../../servers/embedded-templates.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { type AnswerWatch, NodeClient } from './client.ts';
import { baseSettings, type Settings } from './settings.ts';

export { baseSettings, type Settings };

/** A node in this process, whole: what `serve` runs, on a port of its own. */
export type RunningNode = {
  readonly service: Service;
  readonly client: NodeClient;
  readonly url: string;
  /** All that it logged so far. */
  log(): string;
  /** As on SIGTERM. */
  stop(): Promise<void>;
};

export async function startNode(
  settings: Settings,
  {
    watch,
    rateLimits,
  }: { readonly watch?: AnswerWatch; readonly rateLimits?: RateLimitService } = {},
): Promise<RunningNode> {
  const lines: string[] = [];
  const service = await startService(readConfig({ ...baseSettings, ...settings }), {
    version: '0.0.0-test',
    logTo: { write: (text) => lines.push(text) },
    ...(rateLimits && { rateLimits }),
  });
  return {
    service,
    url: service.url,
    client: new NodeClient(service.url, service.adminToken, watch),
    log: () => lines.join(''),
    stop: async () => {
      await service.drain.start();
      await service.close();
    },
  };
}

/** A data folder with an embedded database that has its tables. */
export async function makeDataDir(): Promise<{
  readonly path: string;
  readonly remove: () => Promise<void>;
}> {
  const path = await createTemporaryFolder('data');
  await copyFolder(inject('embeddedTemplates').migrated, join(path, 'postgres'));
  return { path, remove: () => removeFolder(path) };
}
