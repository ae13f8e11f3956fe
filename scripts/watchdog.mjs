// A tiny process that outlives its parent just long enough to clean up after it. Its standard input
// is a pipe held by the parent alone; when the parent ends, even by SIGKILL, the pipe closes and
// everything still listed is stopped and removed.
//
// Lines it reads:  watch <pid> <signal>  (a negative pid is a process group) · forget <pid>
//                  folder <path>         (removed at the end)

import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleepMs } from 'node:timers/promises';

const graceMs = 3_000;
const pollMs = 20;

/** @type {Map<number, string>} */
const signals = new Map();
/** @type {Set<string>} */
const folders = new Set();

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {});
}

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, subject = '', signal = 'SIGKILL'] = line.split('\t');
  if (verb === 'watch') signals.set(Number(subject), signal);
  if (verb === 'forget') signals.delete(Number(subject));
  if (verb === 'folder') folders.add(subject);
}

for (const [pid, signal] of signals) {
  send(pid, signal);
  // Nothing more can be asked of it.
  if (signal === 'SIGKILL') signals.delete(pid);
}
const deadlineMs = Date.now() + graceMs;
while ([...signals.keys()].some(isAlive) && Date.now() < deadlineMs) await sleepMs(pollMs);
for (const pid of signals.keys()) send(pid, 'SIGKILL');
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** @param {number} pid @param {string | 0} signal */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  return send(pid, 0);
}
