import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolder } from '../../scripts/watch-processes.mjs';

export async function createTemporaryFolder(name: string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `sluice-${name}-`));
  watchFolder(path);
  // Others may pass through: Postgres runs as another user when the tests run as root.
  await chmod(path, 0o711);
  return path;
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}
