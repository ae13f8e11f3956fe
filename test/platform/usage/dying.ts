import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../../scripts/watch-processes.mjs';

/** After which of them it dies: in the order in which they happen. */
export const dyingSteps = [
  'flushed',
  'locked',
  'taking',
  'taken',
  'counted',
  'committed',
  'dropped',
] as const;

export type Dying = {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly tenantId: string;
  readonly step: (typeof dyingSteps)[number];
  readonly calls: number;
  /** How many of them are let in. */
  readonly limit: number;
};

const rootPath = fileURLToPath(new URL('../../..', import.meta.url));
const programPath = fileURLToPath(new URL('dying-child.ts', import.meta.url));

/** Runs it until it dies. Returns the signal that ended it. */
export async function die(dying: Dying): Promise<NodeJS.Signals | null> {
  const child = fork(programPath, [JSON.stringify(dying)], {
    cwd: rootPath,
    execArgv: ['--conditions=source', '--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {},
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('a process could not be started');
  watchProcess(pid);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  forgetProcess(pid);
  return signal;
}
