import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../../scripts/watch-processes.mjs';

/** Callers of one kind. */
export type Group = {
  readonly name: string;
  /** Taken in turn. */
  readonly keys: readonly string[];
  readonly connections: number;
  /** Calls that are due in a second; without it each connection asks again as soon as it is answered. */
  readonly perSecond?: number;
  /** How many different ones there are. */
  readonly subjects: number;
  /** How often a call that was refused is tried again, at once rather than when it was told to. */
  readonly retries?: number;
};

export type GroupReport = {
  readonly name: string;
  /** By `200`, `429 overload`, `429 exceeded`, another status, or `closed` for a lost connection. */
  readonly answers: Readonly<Record<string, number>>;
  /** Calls that were due while all connections were waiting for an answer. */
  readonly unsent: number;
  /** From the call to the answer, of those that were allowed. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Lets all groups call at once for so long, from a process of their own. */
export function crowd(
  url: string,
  groups: readonly Group[],
  { ms }: { readonly ms: number },
): Promise<readonly GroupReport[]> {
  const child = fork(fileURLToPath(new URL('crowd-process.mjs', import.meta.url)), {
    execArgv: [],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the crowd could not be started');
  watchProcess(pid);
  return new Promise((resolve, reject) => {
    child.once('exit', () => {
      forgetProcess(pid);
      reject(new Error('the crowd ended without a word'));
    });
    child.once('message', (said: { reports?: readonly GroupReport[]; failed?: string }) => {
      if (said.reports) resolve(said.reports);
      else reject(new Error(said.failed));
    });
    child.send({ port: Number(new URL(url).port), ms, groups });
  });
}

export function countOf(reports: readonly GroupReport[], ...kinds: readonly string[]): number {
  let count = 0;
  for (const { answers } of reports) for (const kind of kinds) count += answers[kind] ?? 0;
  return count;
}
