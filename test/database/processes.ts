import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../scripts/watch-processes.mjs';

const rootPath = fileURLToPath(new URL('../..', import.meta.url));
const programPath = fileURLToPath(new URL('child.ts', import.meta.url));

export type ChildReport =
  | { readonly kind: 'opened' }
  /** The database has acknowledged the row. */
  | { readonly kind: 'wrote'; readonly number: number }
  | { readonly kind: 'failed'; readonly message: string };

/** A process of its own that opens the embedded database in a folder. */
export class DatabaseProcess {
  readonly reports: ChildReport[] = [];
  readonly #child: ChildProcess;

  constructor(folder: string, work: 'hold' | 'write') {
    this.#child = fork(programPath, [folder, work], {
      cwd: rootPath,
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {},
    });
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('a process could not be started');
    watchProcess(pid);
    this.#child.once('exit', () => forgetProcess(pid));
    this.#child.on('message', (report) => this.reports.push(report as ChildReport));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves with the first report for which it holds; throws if the process ends before. */
  async until(holds: (report: ChildReport) => boolean): Promise<ChildReport> {
    for (;;) {
      const found = this.reports.find(holds);
      if (found) return found;
      const ended = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (ended) throw new Error(`the process ended: ${JSON.stringify(this.reports.at(-1))}`);
      const waiting = new AbortController();
      const options = { signal: waiting.signal };
      await Promise.race([
        once(this.#child, 'message', options),
        once(this.#child, 'exit', options),
      ]);
      waiting.abort();
    }
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    // All that it said before is read before this.
    const gone = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
