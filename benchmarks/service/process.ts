import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { forgetProcess, watchProcess } from '../../scripts/watch-processes.mjs';
import { findFreePort } from '../../test/servers/free-port.ts';

/** A server under measurement, in a process of its own. */
export type Server = {
  readonly port: number;
  readonly url: string;
  /** From its first instruction to its first answer. */
  readonly startMs: number;
  /** Processor time that it has taken so far, all threads. */
  readonly cpuUs: () => Promise<number>;
  readonly metrics: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

const startWithinMs = 60_000;
const lookAgainMs = 5;
const stopWithinMs = 10_000;

/** What is published: the compiled service, and one worker of it. */
const service = fileURLToPath(new URL('../../platform/dist/src/main.js', import.meta.url));
const bare = fileURLToPath(new URL('bare.mjs', import.meta.url));

/** What `npm start` tells Node. */
const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly scripts: { readonly start: string } };
const asStarted = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** Sluice with these settings. What it says, its log included, goes to /dev/null. */
export async function startSluice(
  nodeArgs: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Server> {
  const port = await findFreePort();
  const address = {
    SLUICE_HTTP_ADDR: `127.0.0.1:${port}`,
    SLUICE_GRPC_ADDR: '127.0.0.1:0',
    SLUICE_DRAIN_SECONDS: '0',
    // What it can do is measured, not what it does when it is more.
    SLUICE_SHED_DELAY_MS: '60000',
  };
  return start([...asStarted, ...nodeArgs, service, 'serve'], { ...address, ...settings }, port);
}

export function startBare(
  nodeArgs: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Server> {
  return startProgram([...nodeArgs, bare], settings);
}

/** One that answers `/v1/health` and `/metrics` on the port it is told in `PORT`. */
export async function startProgram(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Server> {
  const port = await findFreePort();
  return start(args, { PORT: String(port), ...settings }, port);
}

async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  port: number,
): Promise<Server> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, {
    env: { NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args.join(' ')} could not be started`);
  watchProcess(pid);
  child.once('exit', () => forgetProcess(pid));
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/v1/health`, child);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return {
    port,
    url,
    startMs: performance.now() - startedMs,
    cpuUs: async () => 1_000_000 * metricIn(await metrics(), 'process_cpu_seconds_total'),
    metrics,
    stop: () => stop(child),
  };
}

/** The sum over all its series. */
export function metricIn(text: string, name: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + startWithinMs;
  while (performance.now() < endMs) {
    if (hasEnded(child)) throw new Error('a server ended while starting');
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await sleep(lookAgainMs);
  }
  throw new Error(`a server was not ready in ${startWithinMs / 1000} s`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const lastResort = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(lastResort);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
