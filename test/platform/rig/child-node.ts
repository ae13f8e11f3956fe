import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { forgetProcess, watchProcess } from '../../../scripts/watch-processes.mjs';
import { NodeClient } from './client.ts';
import { baseSettings, type Settings } from './settings.ts';

const rootPath = fileURLToPath(new URL('../../..', import.meta.url));
const collectPath = new URL('collect.mjs', import.meta.url).href;
const startTimeoutMs = 150_000;

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** The program, as it is started from a command line, in a process of its own. */
export class ChildNode {
  readonly #child: ChildProcess;
  #output = '';
  #collections = 0;
  readonly ended: Promise<Ended>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        child.emit('said');
      });
    }
    const { pid } = child;
    if (pid === undefined) throw new Error('the program could not be started');
    // The whole group: it may have workers.
    watchProcess(-pid);
    this.ended = once(child, 'close').then(([code, signal]) => {
      forgetProcess(-pid);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  /** Starts it and waits for nothing. */
  static spawn(
    settings: Settings,
    args: readonly string[] = ['serve'],
    nodeArgs: readonly string[] = [],
  ): ChildNode {
    const mainPath = inject('programPath');
    if (mainPath === null) throw new Error('The service does not compile (see above).');
    return ChildNode.run([...nodeArgs, mainPath, ...args], { ...baseSettings, ...settings });
  }

  static run(program: readonly string[], settings: Settings): ChildNode {
    const child = spawn(process.execPath, program, {
      cwd: rootPath,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings },
    });
    return new ChildNode(child);
  }

  /** Starts it and waits until it serves. */
  static async start(settings: Settings, args?: readonly string[]): Promise<ChildNode> {
    const node = ChildNode.spawn(settings, args);
    await node.untilServing();
    return node;
  }

  /** The same of one that can be told to `collect`. */
  static async startCollectable(settings: Settings): Promise<ChildNode> {
    const node = ChildNode.spawn(settings, ['serve'], ['--expose-gc', '--import', collectPath]);
    await node.untilServing();
    return node;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Frees all that nobody holds, and waits until that is done: what it has then, it keeps. */
  async collect(): Promise<void> {
    this.#collections += 1;
    this.signal('SIGUSR2');
    await this.until(new RegExp(`^collected ${this.#collections}$`, 'm'));
  }

  /** All that it wrote, to both of its outputs. */
  get output(): string {
    return this.#output;
  }

  get url(): string {
    return this.#said(/Sluice is listening on (\S+)/);
  }

  get adminToken(): string {
    return this.#said(/admin token +(\S+)/);
  }

  get client(): NodeClient {
    return new NodeClient(this.url, this.adminToken);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async untilServing(timeoutMs = startTimeoutMs): Promise<void> {
    await this.until(/admin\/tenants -H .*\n/, timeoutMs);
  }

  async until(pattern: RegExp, timeoutMs = startTimeoutMs): Promise<void> {
    const deadline = AbortSignal.timeout(timeoutMs);
    while (!pattern.test(this.#output)) {
      const waiting = new AbortController();
      const signal = AbortSignal.any([deadline, waiting.signal]);
      const over = await Promise.race([
        this.ended.then(() => 'ended'),
        once(this.#child, 'said', { signal }).then(
          () => null,
          () => 'late',
        ),
      ]);
      waiting.abort();
      if (over !== null) throw new Error(`the program ${over}: ${this.#output.slice(-2000)}`);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it by a signal and waits for its end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(signal);
    return this.ended;
  }

  #said(pattern: RegExp): string {
    const found = pattern.exec(this.#output)?.[1];
    if (found === undefined) throw new Error(`it did not say ${pattern}: ${this.#output}`);
    return found;
  }
}
