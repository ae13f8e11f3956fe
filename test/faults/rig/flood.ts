import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../../scripts/watch-processes.mjs';

const programPath = fileURLToPath(new URL('flood.mjs', import.meta.url));

export type FloodOrder = {
  readonly url: string;
  /** In turn. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly forMs: number;
  /** Each call says that it comes from another address, as through a proxy. */
  readonly fromOthers: boolean;
  /** As many as come through, unless said. */
  readonly perSecond?: number;
};

export type FloodResult = {
  readonly sent: number;
  readonly statuses: Readonly<Record<string, number>>;
};

/** Floods from a process of its own, and says what it was answered. */
export async function flood(order: FloodOrder): Promise<FloodResult> {
  const child = fork(programPath, [], { execArgv: [], env: {} });
  const { pid } = child;
  if (pid === undefined) throw new Error('the flood could not be started');
  watchProcess(pid);
  child.once('exit', () => forgetProcess(pid));
  child.send(order);
  const [result] = (await once(child, 'message')) as [FloodResult];
  return result;
}
