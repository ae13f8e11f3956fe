// Callers in great numbers, in a process of their own: who makes the load must not share a thread with
// who bears it. Raw sockets, because an HTTP client would cost about as much as the server. Plain
// JavaScript: run by itself, without a loader. It is told what to do by one message, see crowd.ts, and
// answers with one.

import { connect } from 'node:net';
import { setPriority } from 'node:os';

/** @typedef {import('./crowd.ts').Group} Group */
/** @typedef {{ socket: import('node:net').Socket, sentMs: number, pending: Buffer, tries: number }} Lane */

// Nor a processor: where there are few, who bears it comes first.
setPriority(10);

const paceMs = 5;
const firstRetryMs = 20;
/** Who is not answered by then is not any more. */
const answerMsMax = 30_000;

process.once('message', (/** @type {any} */ { port, ms, groups }) => {
  call(port, ms, groups).then(
    (reports) => process.send?.({ reports }, () => process.exit()),
    (error) => process.send?.({ failed: String(error) }, () => process.exit(1)),
  );
});

/**
 * @param {number} port
 * @param {number} ms
 * @param {readonly Group[]} groups
 */
async function call(port, ms, groups) {
  const sockets = await Promise.all(groups.map(({ connections }) => connectAll(port, connections)));
  const endMs = performance.now() + ms;
  return Promise.all(groups.map((group, at) => drive(sockets[at] ?? [], endMs, group)));
}

/**
 * @param {readonly import('node:net').Socket[]} sockets
 * @param {number} endMs
 * @param {Group} group
 */
async function drive(sockets, endMs, { name, keys, perSecond, subjects, retries = 0 }) {
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {number[]} */
  const allowedMs = [];
  let unsent = 0;
  let turn = 0;
  /** @type {Lane[]} */
  const idle = [];
  let open = 0;
  /** @type {() => void} */
  let allIdle = () => {};

  const ask = (/** @type {Lane} */ lane, /** @type {number} */ at) => {
    const body = JSON.stringify({ resource: 'GET:/orders', subject: `subject ${at % subjects}` });
    lane.sentMs = performance.now();
    lane.socket.write(
      `POST /v1/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n` +
        `x-api-key: ${keys[at % keys.length]}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      'latin1',
    );
  };
  const rest = (/** @type {Lane} */ lane) => {
    if (perSecond === undefined && performance.now() < endMs) return ask(lane, turn++);
    idle.push(lane);
    if (idle.length === open) allIdle();
  };

  const openLane = (/** @type {import('node:net').Socket} */ socket) => {
    /** @type {Lane} */
    const lane = { socket, sentMs: 0, pending: Buffer.alloc(0), tries: 0 };
    open += 1;
    const gone = (/** @type {string} */ how) => {
      if (open <= 0) return;
      answers[how] = (answers[how] ?? 0) + 1;
      open -= 1;
      if (idle.length >= open) allIdle();
    };
    socket.on('error', () => {});
    socket.on('close', () => gone('closed'));
    socket.on('data', (chunk) => {
      lane.pending = lane.pending.length === 0 ? chunk : Buffer.concat([lane.pending, chunk]);
      const length = lengthOf(lane.pending);
      if (length < 0 || lane.pending.length < length) return;
      const said = saidBy(lane.pending);
      lane.pending = Buffer.alloc(0);
      answers[said] = (answers[said] ?? 0) + 1;
      if (said === '200') allowedMs.push(performance.now() - lane.sentMs);
      if (said === '200' || lane.tries >= retries || performance.now() >= endMs) {
        lane.tries = 0;
        return rest(lane);
      }
      lane.tries += 1;
      setTimeout(() => ask(lane, turn++), firstRetryMs * lane.tries);
    });
    return lane;
  };

  const lanes = sockets.map(openLane);
  for (const lane of lanes) rest(lane);
  if (perSecond !== undefined) {
    const startMs = performance.now();
    let sent = 0;
    while (performance.now() < endMs) {
      const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
      for (; sent < due; sent += 1) {
        const lane = idle.pop();
        if (lane) ask(lane, turn++);
        else unsent += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, paceMs));
    }
  }
  await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    allIdle = resolve;
    setTimeout(resolve, Math.max(0, endMs - performance.now()) + answerMsMax);
    if (idle.length >= open && performance.now() >= endMs) resolve();
  });
  open = 0;
  for (const { socket } of lanes) socket.destroy();
  const sorted = Float64Array.from(allowedMs).toSorted();
  const share = (/** @type {number} */ part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { name, answers, unsent, p50Ms: share(0.5), p99Ms: share(0.99) };
}

/**
 * `200`, `429 exceeded`, `429 overload`, or another status.
 *
 * @param {Buffer} answer
 */
function saidBy(answer) {
  const status = answer.latin1Slice(9, 12);
  if (status !== '429') return status;
  const text = answer.latin1Slice();
  const why = /"degraded_reason":"(\w+)"/.exec(text) ?? /"reason":"(\w+)"/.exec(text);
  return `429 ${why?.[1] ?? ''}`;
}

/**
 * Of the whole answer; -1 while its head is not there.
 *
 * @param {Buffer} answer
 */
function lengthOf(answer) {
  const end = answer.indexOf('\r\n\r\n');
  const field = answer.indexOf('content-length: ');
  if (end < 0 || field < 0) return -1;
  return end + 4 + Number.parseInt(answer.latin1Slice(field + 16, field + 24), 10);
}

/**
 * @param {number} port
 * @param {number} count
 */
function connectAll(port, count) {
  return Promise.all(Array.from({ length: count }, () => connected(port)));
}

/**
 * @param {number} port
 * @returns {Promise<import('node:net').Socket>}
 */
function connected(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
