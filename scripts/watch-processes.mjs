// Makes sure that no process or folder of ours survives this process, whatever ends it.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @type {import('node:stream').Writable | undefined} */
let watchdogInput;

/**
 * Stops the process, or the group if the pid is negative, when this process ends.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function watchProcess(pid, signal = 'SIGKILL') {
  tellWatchdog('watch', String(pid), signal);
}

/**
 * Call this once the process has ended: its pid may soon belong to somebody else.
 * @param {number} pid
 */
export function forgetProcess(pid) {
  tellWatchdog('forget', String(pid));
}

/**
 * Removes the folder when this process ends.
 * @param {string} path
 */
export function watchFolder(path) {
  tellWatchdog('folder', path);
}

/** @param {string[]} words */
function tellWatchdog(...words) {
  watchdogInput ??= startWatchdog();
  watchdogInput.write(`${words.join('\t')}\n`);
}

function startWatchdog() {
  const program = fileURLToPath(new URL('watchdog.mjs', import.meta.url));
  // Detached: Ctrl-C in a terminal reaches the whole foreground group and must not reach this one.
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  child.unref();
  const { stdin } = child;
  stdin.on('error', () => {});
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return stdin;
}
