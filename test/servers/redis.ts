import { join } from 'node:path';
import { requireProgram } from '../../scripts/programs.mjs';
import { findFreePort } from './free-port.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { createTemporaryFolder, removeFolder } from './temporary-folder.ts';

const startAttemptsMax = 5;
const readyTimeoutMs = 20_000;

export type RedisOptions = {
  /** A port that was just used, to bring a stopped server back; a free one unless given. */
  readonly port?: number;
  /** More settings, as on the command line: `['--maxmemory', '10mb']`. */
  readonly settings?: readonly string[];
  /** Variables for it, such as a library to load first. */
  readonly env?: Readonly<Record<string, string>>;
  /** A program and its arguments that become the server: `['unshare', '--net']`. */
  readonly launcher?: readonly string[];
};

export type RedisServer = ServerProcess & {
  readonly port: number;
  readonly url: string;
};

/** Starts an empty Redis on 127.0.0.1 that keeps nothing on disk. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startRedisOn(options.port ?? (await findFreePort()), options);
    } catch (error) {
      // Somebody else may have taken the port in the meantime.
      if (attempt === startAttemptsMax) throw error;
    }
  }
}

async function startRedisOn(port: number, options: RedisOptions): Promise<RedisServer> {
  const { settings = [], env, launcher = [] } = options;
  const folder = await createTemporaryFolder('redis');
  const command = [...launcher, requireProgram('redis-server'), ...listDefaults(port, folder)];
  const [program = '', ...args] = [...command, ...settings];
  const server = await startServerProcess({
    program,
    args,
    folder,
    env,
    logPath: join(folder, 'redis.log'),
    readyPattern: /Ready to accept connections/,
    readyTimeoutMs,
    stopSignal: 'SIGKILL',
  });
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

function listDefaults(port: number, folder: string): string[] {
  const defaults = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    daemonize: 'no',
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
    // Otherwise the first replica of a primary waits five seconds for company.
    'repl-diskless-sync-delay': '0',
    // A replica counts as present once it has heard a first ping, by default after ten seconds.
    'repl-ping-replica-period': '1',
  };
  return Object.entries(defaults).flatMap(([name, value]) => [`--${name}`, value]);
}
