import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { forgetProcess, watchProcess } from '../../scripts/watch-processes.mjs';
import type { Job, JobResult, Target } from './jobs.ts';

const rootPath = fileURLToPath(new URL('../..', import.meta.url));
const readyTimeoutMs = 60_000;

/** From the parent to a child: prepare first, so that all can start at the same instant. */
export type Order =
  | {
      readonly kind: 'prepare';
      readonly run: number;
      readonly job: Job;
      readonly target: Target;
      readonly seed: number;
    }
  | { readonly kind: 'go'; readonly run: number };

/** From a child to its parent. The run tells a late report of a race that failed from this one's. */
export type Report = { readonly run: number } & (
  | { readonly kind: 'started' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'done'; readonly result: JobResult }
  | { readonly kind: 'failed'; readonly problem: string }
);

/** A real process with a connection of its own, which may be ended in the middle of its job. */
export class RacingProcess {
  readonly #child: ChildProcess;
  #runs = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<RacingProcess> {
    const racing = new RacingProcess(startChild());
    try {
      await racing.#next('started', readyTimeoutMs);
    } catch (error) {
      await racing.kill();
      throw error;
    }
    return racing;
  }

  async prepare(target: Target, job: Job, seed: number): Promise<void> {
    this.#runs += 1;
    this.#send({ kind: 'prepare', run: this.#runs, job, target, seed });
    await this.#next('prepared', readyTimeoutMs);
  }

  /** Does what was prepared. Rejects when the process is ended meanwhile. */
  async go<J extends Job>(timeoutMs: number): Promise<JobResult<J>> {
    this.#send({ kind: 'go', run: this.#runs });
    const { result } = await this.#next('done', timeoutMs);
    return result as JobResult<J>;
  }

  get isDead(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** As a crash does: nothing is said or finished. */
  async kill(): Promise<void> {
    if (this.isDead) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  #send(order: Order): void {
    this.#child.send(order);
  }

  #next<K extends Report['kind']>(kind: K, timeoutMs: number): Promise<Reported<K>> {
    const [child, run] = [this.#child, this.#runs];
    return new Promise((resolve, reject) => {
      const finish = (problem: string | null, report?: Reported<K>) => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        if (report) resolve(report);
        else reject(new Error(`racing process ${child.pid}: ${problem}`));
      };
      const onMessage = (message: unknown) => {
        const report = message as Report;
        if (report.run !== run) return;
        if (report.kind === kind) finish(null, report as Reported<K>);
        else finish(report.kind === 'failed' ? report.problem : `said ${report.kind}`);
      };
      const onExit = () => finish('ended by itself');
      const timer = setTimeout(() => finish(`not ${kind} within ${timeoutMs} ms`), timeoutMs);
      child.on('message', onMessage);
      child.once('exit', onExit);
    });
  }
}

type Reported<K extends Report['kind']> = Extract<Report, { kind: K }>;

function startChild(): ChildProcess {
  const child = fork(inject('raceProgramPath'), [], {
    cwd: rootPath,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {},
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('a racing process could not be started');
  watchProcess(pid);
  child.once('exit', () => forgetProcess(pid));
  return child;
}
