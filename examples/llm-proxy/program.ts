import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One of the programs of this folder, in a process of its own, so that it can be killed. */
export class Program {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Waits until it serves. What it says before and after goes to `onLine`. */
  static async start(
    file: string,
    settings: Readonly<Record<string, string>>,
    onLine: (line: string) => void = () => {},
  ): Promise<Program> {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', path], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...settings },
    });
    process.once('exit', () => child.kill('SIGKILL'));
    const lines = createInterface(child.stdout);
    const url = await new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => {
        const found = / is listening on (\S+)$/.exec(line)?.[1];
        if (found === undefined) onLine(line);
        else resolve(found);
      });
      child.once('exit', () => reject(new Error(`${file} ended before it served`)));
    });
    return new Program(child, url);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** As `kill -9` does. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
