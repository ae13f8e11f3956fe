import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../scripts/watch-processes.mjs';

/** What is sent, and to whom. See driver.mjs. */
export type Load = {
  readonly port: number;
  readonly path: string;
  /** POST without it. */
  readonly method?: 'GET';
  readonly keys: readonly string[];
  readonly bodies: readonly string[];
  /** Whether a refusal is an answer like any other. */
  readonly mayRefuse?: boolean;
  /** Never sleeps: to wake it would cost who answers. It takes a processor for itself then. */
  readonly isAwake?: boolean;
};

export type Report = {
  readonly answers: number;
  readonly tookMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

export const connections = 32;
const warmUpMsMax = 60_000;
const onceMsMax = 900_000;

/** The process that makes the load. It is told each load once, and then only its name. */
export class Driver {
  readonly #child: ChildProcess;
  readonly #sizes = new Map<string, number>();

  constructor(path = fileURLToPath(new URL('driver.mjs', import.meta.url))) {
    this.#child = fork(path, { execArgv: [] });
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the driver could not be started');
    watchProcess(pid);
    this.#child.once('exit', () => forgetProcess(pid));
  }

  async define(name: string, load: Load): Promise<void> {
    await this.#ask({ name, define: { ...load, connections } });
    this.#sizes.set(name, Math.max(load.keys.length, load.bodies.length));
  }

  /** A load of another program's kind. */
  async defineAs(name: string, load: object): Promise<void> {
    await this.#ask({ name, define: load });
  }

  /** In no order, for so long. */
  run(name: string, ms: number): Promise<Report> {
    return this.#ask({ name, run: { ms, answers: -1, inOrder: false } });
  }

  /** In no order, so many: compilers wait for calls, not for time. */
  warmUp(name: string, answers: number): Promise<Report> {
    return this.#ask({ name, run: { ms: warmUpMsMax, answers, inOrder: false } });
  }

  /** Every request once: no round is spent on making counters. */
  async runOnce(name: string): Promise<void> {
    const answers = this.#sizes.get(name) ?? 0;
    const report = await this.#ask({ name, run: { ms: onceMsMax, answers, inOrder: true } });
    if (report.answers < answers) throw new Error(`${name}: no end after ${onceMsMax / 1000} s`);
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #ask(message: object): Promise<Report> {
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the driver ended'));
      this.#child.once('exit', gone);
      this.#child.once('message', (answer: { report?: Report; failed?: string }) => {
        this.#child.off('exit', gone);
        if (answer.failed === undefined) resolve(answer.report as Report);
        else reject(new Error(answer.failed));
      });
      this.#child.send(message);
    });
  }
}
