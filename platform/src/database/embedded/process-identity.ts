import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

/** A process, told from a later one with the same number. */
export type ProcessIdentity = {
  readonly pid: number;
  /** When it started, as its system counts. */
  readonly started: string;
  /** Within which numbers mean the same process: one boot of one machine or container. */
  readonly place: string;
};

export async function identifyThisProcess(): Promise<ProcessIdentity> {
  const started = (await startOf(process.pid)) ?? '';
  return { pid: process.pid, started, place: await findPlace() };
}

/** Undefined: it is from another place, where we can't look. */
export async function isAlive(other: ProcessIdentity): Promise<boolean | undefined> {
  if (other.place !== (await findPlace())) return undefined;
  return (await startOf(other.pid)) === other.started;
}

async function findPlace(): Promise<string> {
  try {
    const [boot, namespace] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
    ]);
    return `${boot.trim()} ${namespace}`;
  } catch {
    return hostname();
  }
}

/** Undefined when there is no such process, or only what is left of one that ended. */
async function startOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; after it come the state and, 19 further, the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    return 'ZX'.includes(state) ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

async function startByPs(pid: number): Promise<string | undefined> {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const args = ['-o', 'lstart=', '-p', String(pid)];
    return (await promisify(execFile)('ps', args, { env })).stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
