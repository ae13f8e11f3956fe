// The thread that PostgreSQL runs in. It is given the bytes a client would send over a socket and
// gives back those a server would send, a session at a time. Plain JavaScript, because a thread
// of its own can't be started from TypeScript in every way this program is run.

import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

/**
 * @typedef {{ kind: 'send', session: number, bytes: Uint8Array }
 *   | { kind: 'leave', session: number }
 *   | { kind: 'close' }} Order
 * @typedef {{ kind: 'ready' } | { kind: 'reply', session: number, bytes: Uint8Array }} Report
 */

if (parentPort === null) throw new Error('This file runs in a worker thread.');
const port = parentPort;
/** @type {{ folder: string }} */
const { folder } = workerData;

/**
 * What PostgreSQL says of its end. Not what it says of queries: that may hold secrets.
 * @type {string[]}
 */
const lastWords = [];
const postgres = new PGlite({
  dataDir: folder,
  onStderr: (line) => {
    const [words] = /\b(?:FATAL|PANIC|DETAIL): .*/.exec(line) ?? [];
    const isDetail = words?.startsWith('DETAIL');
    if (words && (!isDetail || lastWords.length > 0)) lastWords.push(words);
    return false;
  },
});
await postgres.waitReady.catch((/** @type {unknown} */ error) => fail(error));

const queryType = 0x51;
const syncType = 0x53;
const readyType = 0x5a;
const terminateType = 0x58;
const idleStatus = 0x49;
const syncMessage = new Uint8Array([syncType, 0, 0, 0, 4]);

/** Orders are carried out one after another, whatever each of them waits for. */
let last = Promise.resolve();
port.on('message', (/** @type {Order} */ order) => {
  last = last.then(() => carryOut(order));
});

/** @param {Report} report @param {ArrayBuffer[]} [transfer] */
function say(report, transfer) {
  port.postMessage(report, transfer);
}

/** @param {Order} order */
async function carryOut(order) {
  if (order.kind === 'send') {
    if (order.bytes[0] === terminateType) return;
    const bytes = await ask(order.bytes);
    if (bytes.length > 0) say({ kind: 'reply', session: order.session, bytes }, [bytes.buffer]);
  } else if (order.kind === 'leave') {
    await forgetSession();
  } else {
    await postgres.close();
    process.exit(0);
  }
}

/** All sessions are one to PostgreSQL: what one leaves behind, the next would find. */
async function forgetSession() {
  const status = (await ask(syncMessage)).at(-1);
  if (status !== idleStatus) await ask(queryMessage('rollback'));
  await ask(queryMessage('discard all'));
}

/**
 * @param {Uint8Array} bytes whole messages
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function ask(bytes) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  await postgres.execProtocolRawStream(bytes, {
    // The bytes are PostgreSQL's memory, which the next answer overwrites.
    onRawData: (chunk) => chunks.push(chunk.slice()),
  });
  const answer = concat(chunks);
  // After a fatal error PostgreSQL has ended, yet nobody is told: it only stops to answer.
  if (expectsReady(bytes) && answer.at(-6) !== readyType) {
    fail('PostgreSQL has ended in its thread');
  }
  return answer;
}

/** @param {unknown} problem @returns {never} */
function fail(problem) {
  const words = lastWords.length > 0 ? lastWords.join('; ') : String(problem);
  throw new Error(words, { cause: problem });
}

/** @param {Uint8Array} bytes */
function expectsReady(bytes) {
  const isStartup = bytes[0] === 0;
  const isSync = bytes.length >= 5 && bytes.at(-5) === syncType && bytes.at(-1) === 4;
  return isStartup || isSync || bytes[0] === queryType;
}

/** @param {string} sql */
function queryMessage(sql) {
  const text = new TextEncoder().encode(sql);
  const message = new Uint8Array(text.length + 6);
  message[0] = queryType;
  new DataView(message.buffer).setUint32(1, text.length + 5);
  message.set(text, 5);
  return message;
}

/** @param {Uint8Array[]} chunks */
function concat(chunks) {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

say({ kind: 'ready' });
