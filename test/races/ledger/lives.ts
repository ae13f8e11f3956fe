import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../jobs.ts';
import type { Processes } from '../processes.ts';
import type { LedgerJob } from './job.ts';
import { linesIn, type Line } from './journal.ts';

export type Lives = {
  readonly processes: Processes;
  readonly target: Target;
  readonly folder: string;
  readonly timeoutMs: number;
};

/** About as much as a step takes in a journal. */
const bytesPerStep = 250;

/**
 * Takes the steps of one process, which is killed after each of these shares of them and started
 * again. Returns the journal of each life.
 */
export async function takeStepsDying(
  { processes, target, folder, timeoutMs }: Lives,
  at: number,
  job: Omit<LedgerJob, 'journalPath' | 'life'>,
  deaths: readonly number[],
): Promise<Line[][]> {
  const journals: Line[][] = [];
  let left = job.steps;
  for (let life = 0; ; life += 1) {
    const journalPath = join(folder, `${at}-${life}.jsonl`);
    const member = life === 0 ? processes.at(at) : await processes.replace(at);
    await member.prepare(target, { ...job, steps: left, life, journalPath }, at);
    const steps = (deaths[life] ?? Number.POSITIVE_INFINITY) * job.steps;
    const done = member.go(timeoutMs).then(
      () => true,
      (error: unknown) => {
        if (!member.isDead) throw error;
        return false;
      },
    );
    const isDone = await Promise.race([done, grown(journalPath, steps * bytesPerStep)]);
    if (!isDone) await member.kill();
    const finished = await done;
    const lines = linesIn(await readFile(journalPath, 'utf8'));
    journals.push(lines);
    left -= lines.filter((line) => 'attempt' in line).length;
    if (finished) return journals;
  }
}

/** False once the file is as long as that. */
async function grown(path: string, bytes: number): Promise<false> {
  for (;;) {
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (size >= bytes) return false;
    await pause(5);
  }
}
