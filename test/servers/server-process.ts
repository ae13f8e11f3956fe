import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetProcess, watchProcess } from '../../scripts/watch-processes.mjs';

const pollMs = 15;
const stopTimeoutMs = 5_000;

export type ServerCommand = {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly logPath: string;
  /** What the server writes to its log once it serves. Our own log, so never another's answer. */
  readonly readyPattern: RegExp;
  readonly readyTimeoutMs: number;
  /** Ends the server at once, without a trace. */
  readonly stopSignal: NodeJS.Signals;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Besides the environment of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
};

export type ServerProcess = {
  readonly pid: number;
  /** Ends the server by its pid and resolves when it is gone; a second call does nothing. */
  stop(): Promise<void>;
};

export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  const child = spawnServer(command);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command.program} could not be started`);
  watchProcess(pid, command.stopSignal);
  child.once('exit', () => forgetProcess(pid));
  const server = { pid, stop: () => stopServer(child, command.stopSignal) };
  try {
    await waitUntilReady(child, command);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function spawnServer({ program, args, folder, logPath, user, env }: ServerCommand): ChildProcess {
  const log = openSync(logPath, 'a');
  // Detached: Ctrl-C in the terminal is for the runner, which then stops its servers in order.
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
    ...user,
  });
  closeSync(log);
  child.on('error', () => {});
  child.unref();
  return child;
}

async function waitUntilReady(child: ChildProcess, command: ServerCommand): Promise<void> {
  const deadlineMs = performance.now() + command.readyTimeoutMs;
  for (;;) {
    const log = readFileSync(command.logPath, 'utf8');
    if (hasEnded(child)) throw new Error(`${command.program} ended while starting:\n${log}`);
    if (command.readyPattern.test(log)) return;
    if (performance.now() > deadlineMs) {
      throw new Error(`${command.program} was not ready in ${command.readyTimeoutMs} ms:\n${log}`);
    }
    await sleep(pollMs);
  }
}

async function stopServer(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.ref();
  child.kill(signal);
  // A paused process (SIGSTOP) sees no other signal than this one.
  const lastResort = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(lastResort);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
