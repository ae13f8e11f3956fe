import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';

const sourcePath = fileURLToPath(new URL('clock-shim.c', import.meta.url));

export type ShiftedRedis = RedisServer & {
  /** Its clock is off by this much from now on; `TIME`, in scripts too, and expiries go by it. */
  shiftClock(ms: number): Promise<void>;
};

/** A Redis whose clock the test steps. Null where there is no compiler. */
export async function startShiftedRedis(): Promise<ShiftedRedis | null> {
  const folder = await createTemporaryFolder('clock');
  const [library, offsetPath] = [join(folder, 'shim.so'), join(folder, 'offset')];
  const shiftClock = async (ms: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(ms * 1000)));
    // In place: the server has this very file mapped.
    await writeFile(offsetPath, bytes, { flag: 'r+' }).catch(() => writeFile(offsetPath, bytes));
  };
  try {
    await promisify(execFile)('gcc', ['-O2', '-shared', '-fPIC', '-o', library, sourcePath]);
  } catch {
    await removeFolder(folder);
    return null;
  }
  await shiftClock(0);
  const env = { LD_PRELOAD: library, CLOCK_SHIM_FILE: offsetPath };
  const server = await startRedis({ env });
  return {
    ...server,
    shiftClock,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}
