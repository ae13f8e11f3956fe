// Runs one program to its end, forwards signals to it, and never leaves it behind.

import { spawn } from 'node:child_process';
import { forgetProcess, watchProcess } from './watch-processes.mjs';

/** @type {Set<number>} */
const runningGroups = new Set();
/** @type {NodeJS.Signals | undefined} */
let receivedSignal;

/**
 * @typedef {object} Finished
 * @property {number} exitCode
 * @property {string} output empty unless captured
 */

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ capture?: boolean, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<Finished>}
 */
export function runProgram(command, args, { capture = false, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    // Its own group, so that whatever it starts can be stopped together with it.
    const child = spawn(command, args, {
      detached: true,
      env,
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    });
    const group = child.pid === undefined ? undefined : -child.pid;
    if (group !== undefined) {
      runningGroups.add(group);
      watchProcess(group);
    }
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (group !== undefined) {
        runningGroups.delete(group);
        forgetProcess(group);
      }
      resolve({ exitCode: code ?? 1, output });
    });
  });
}

/** The exit code a shell expects after a signal, or undefined when none arrived. */
export function exitCodeOfSignal() {
  if (receivedSignal === undefined) return undefined;
  return receivedSignal === 'SIGINT' ? 130 : 143;
}

/** On a first signal, passes it on and lets the programs finish; a second one ends them at once. */
export function forwardSignals() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      const passedOn = receivedSignal === undefined ? signal : 'SIGKILL';
      receivedSignal ??= signal;
      for (const group of runningGroups) {
        try {
          process.kill(group, passedOn);
        } catch {
          // It ended by itself in the meantime.
        }
      }
    });
  }
}
