import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from '../../scripts/programs.mjs';
import { findFreePort } from './free-port.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { createTemporaryFolder, removeFolder } from './temporary-folder.ts';

const startAttemptsMax = 5;
const readyTimeoutMs = 30_000;
const roleName = 'sluice';

export type PostgresServer = ServerProcess & {
  readonly port: number;
  readonly url: string;
  /** All that the server has logged since its start. */
  readLog(): Promise<string>;
  /** Ends the server and keeps its data, for tests that bring it back. */
  halt(): Promise<void>;
  /** Starts it again on the same port. */
  resume(): Promise<void>;
};

export type PostgresOptions = {
  /** More settings, by name. */
  readonly settings?: Readonly<Record<string, string>>;
};

type User = { readonly uid: number; readonly gid: number };

/** Starts an empty PostgreSQL on 127.0.0.1 that trades durability for speed. */
export async function startPostgres({
  settings = {},
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await createTemporaryFolder('postgres');
  const user = findUnprivilegedUser();
  const dataPath = join(folder, 'data');
  await mkdir(dataPath, { mode: 0o700 });
  if (user !== undefined) await chown(dataPath, user.uid, user.gid);
  await createDatabases(dataPath, user);

  for (let attempt = 1; ; attempt++) {
    try {
      const port = await findFreePort();
      const logPath = join(folder, `postgres-${attempt}.log`);
      let currentLogPath = logPath;
      let server = await startOn(port, { dataPath, logPath, user, settings });
      let starts = 1;
      return {
        port,
        url: `postgres://${roleName}@127.0.0.1:${port}/postgres`,
        get pid() {
          return server.pid;
        },
        readLog: () => readFile(currentLogPath, 'utf8'),
        halt: () => server.stop(),
        resume: async () => {
          // Each start has a log of its own, in which its readiness is looked for.
          currentLogPath = `${logPath}.${(starts += 1)}`;
          server = await startOn(port, { dataPath, logPath: currentLogPath, user, settings });
        },
        stop: async () => {
          await server.stop();
          await removeFolder(folder);
        },
      };
    } catch (error) {
      // Somebody else may have taken the port in the meantime.
      if (attempt === startAttemptsMax) throw error;
    }
  }
}

async function createDatabases(dataPath: string, user: User | undefined): Promise<void> {
  const args = ['-D', dataPath, '-U', roleName, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  await promisify(execFile)(requireProgram('initdb'), args, { cwd: dataPath, ...user });
}

function startOn(
  port: number,
  place: {
    readonly dataPath: string;
    readonly logPath: string;
    readonly user: User | undefined;
    readonly settings: Readonly<Record<string, string>>;
  },
): Promise<ServerProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    ...place.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startServerProcess({
    program: requireProgram('postgres'),
    args: ['-D', place.dataPath, '-p', String(port), ...args],
    folder: place.dataPath,
    logPath: place.logPath,
    readyPattern: /database system is ready to accept connections/,
    readyTimeoutMs,
    // An immediate shutdown: no checkpoint, yet no shared memory left behind.
    stopSignal: 'SIGQUIT',
    user: place.user,
  });
}

/** PostgreSQL refuses to run as root, so root lends it another name. */
function findUnprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user on this system.
    }
  }
  throw new Error('As root, PostgreSQL needs a user `postgres` or `nobody` to run as.');
}
