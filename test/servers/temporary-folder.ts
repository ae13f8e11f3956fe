import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolder } from '../../scripts/watch-processes.mjs';

// A database is a thousand small files: in memory they are made ten times as quickly as on a disk.
const memoryPath = '/dev/shm';
// Far more than the tests ever have there at once; containers often give it a few megabytes only.
const memoryMin = 4 * 2 ** 30;

const parentPath = process.env['TMPDIR'] === undefined && hasMemory() ? memoryPath : tmpdir();

export async function createTemporaryFolder(name: string): Promise<string> {
  const path = await mkdtemp(join(parentPath, `sluice-${name}-`));
  watchFolder(path);
  // Others may pass through: Postgres runs as another user when the tests run as root.
  await chmod(path, 0o711);
  return path;
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryPath);
    return Math.min(bavail * bsize, freemem()) >= memoryMin;
  } catch {
    // There is no such folder on this system.
    return false;
  }
}
