import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../scripts/watch-processes.mjs';
import type { Job, JobResult, Target } from './jobs.ts';

const rootPath = fileURLToPath(new URL('../..', import.meta.url));
const programPath = fileURLToPath(new URL('child.ts', import.meta.url));
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

/** Real processes, each with a connection of its own: what shares nothing but the server. */
export class Processes {
  readonly #children: readonly ChildProcess[];
  #runs = 0;

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  static async start(count: number): Promise<Processes> {
    const children = Array.from({ length: count }, startChild);
    const processes = new Processes(children);
    try {
      await Promise.all(
        children.map((child) => next(child, { run: 0, kind: 'started' }, readyTimeoutMs)),
      );
    } catch (error) {
      await processes.stop();
      throw error;
    }
    return processes;
  }

  /** Every process does the job, all from the same instant; the results in no special order. */
  async run<J extends Job>(
    target: Target,
    job: J,
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<JobResult<J>[]> {
    const run = (this.#runs += 1);
    await this.#all((child, seed) => {
      send(child, { kind: 'prepare', run, job, target, seed });
      return next(child, { run, kind: 'prepared' }, readyTimeoutMs);
    });
    const reports = await this.#all((child) => {
      send(child, { kind: 'go', run });
      return next(child, { run, kind: 'done' }, timeoutMs);
    });
    return reports.map((report) => report.result as JobResult<J>);
  }

  #all<T>(ask: (child: ChildProcess, at: number) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#children.map(ask));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map(stopChild));
  }
}

function startChild(): ChildProcess {
  const child = fork(programPath, [], {
    cwd: rootPath,
    execArgv: ['--import', 'tsx', '--conditions=source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {},
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('a racing process could not be started');
  watchProcess(pid);
  child.once('exit', () => forgetProcess(pid));
  return child;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function send(child: ChildProcess, order: Order): void {
  child.send(order);
}

type Reported<K extends Report['kind']> = Extract<Report, { kind: K }>;

function next<K extends Report['kind']>(
  child: ChildProcess,
  { run, kind }: { readonly run: number; readonly kind: K },
  timeoutMs: number,
): Promise<Reported<K>> {
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
