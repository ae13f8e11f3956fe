// The load, in a process of its own: whoever is measured must not share a thread with it. Raw
// sockets, because an HTTP client would cost about as much as the server. Plain JavaScript: run by
// itself, without a loader.

import { connect } from 'node:net';

/**
 * @typedef {object} Load
 * @property {number} port
 * @property {string} path
 * @property {'GET'} [method] POST without it
 * @property {readonly string[]} keys the n-th request has the n-th key and body, both going round
 * @property {readonly string[]} bodies
 * @property {boolean} [mayRefuse] a 429 is an answer like any other
 * @property {boolean} [isAwake] never sleeps: to wake it would cost who answers
 * @property {number} connections
 * @property {number} ms the load ends after so long
 * @property {number} answers or after so many
 * @property {boolean} inOrder
 */

/** @type {Map<string, Load>} */
const loads = new Map();
/**
 * Where each load is in its order of requests: a round goes on where the last one ended. Were it to begin
 * anew, the same few thousand of many would be asked in every round.
 *
 * @type {Map<string, number>}
 */
const seeds = new Map();
const firstSeed = 20_260_115;

process.on('message', (/** @type {any} */ { define, run, name }) => {
  if (define) {
    loads.set(name, define);
    process.send?.({ done: true });
    return;
  }
  drive(name, { .../** @type {Load} */ (loads.get(name)), ...run }).then(
    (report) => process.send?.({ report }),
    (error) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }),
  );
});

/**
 * @param {string} name
 * @param {Load} load
 */
async function drive(name, load) {
  const { keys, bodies, connections, ms, answers, inOrder } = load;
  const total = Math.max(keys.length, bodies.length);
  /** @type {number[]} */
  const latenciesMs = [];
  let turn = 0;
  let seed = seeds.get(name) ?? firstSeed;
  const next = () => {
    if (turn === answers || performance.now() >= endMs) return -1;
    turn += 1;
    if (inOrder) return turn - 1;
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * total);
  };
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(load.port)));
  let isOver = false;
  const stayAwake = () => void (isOver || setImmediate(stayAwake));
  if (load.isAwake) stayAwake();
  const startMs = performance.now();
  const endMs = startMs + ms;
  try {
    await Promise.all(sockets.map((socket) => lane(socket, load, next, latenciesMs)));
  } finally {
    isOver = true;
    seeds.set(name, seed);
  }
  const tookMs = performance.now() - startMs;
  for (const socket of sockets) socket.destroy();
  const sorted = Float64Array.from(latenciesMs).toSorted();
  const at = (/** @type {number} */ share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { answers: sorted.length, tookMs, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/**
 * One connection: asks, waits for the answer, asks again.
 *
 * @param {import('node:net').Socket} socket
 * @param {Load} load
 * @param {() => number} next
 * @param {number[]} latenciesMs
 * @returns {Promise<void>}
 */
function lane(socket, { path, method = 'POST', keys, bodies, mayRefuse }, next, latenciesMs) {
  const type = method === 'POST' ? 'content-type: application/json\r\n' : '';
  const start = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${type}`;
  return new Promise((resolve, reject) => {
    let sentMs = 0;
    let pending = Buffer.alloc(0);
    const ask = () => {
      const at = next();
      if (at < 0) return resolve();
      const body = bodies[at % bodies.length] ?? '';
      const length = method === 'POST' ? `content-length: ${body.length}\r\n` : '';
      sentMs = performance.now();
      socket.write(
        `${start}x-api-key: ${keys[at % keys.length]}\r\n${length}\r\n${body}`,
        'latin1',
      );
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const length = lengthOf(pending);
      if (length < 0 || pending.length < length) return;
      const status = pending.latin1Slice(9, 12);
      if (status !== '200' && !(mayRefuse && status === '429')) {
        return reject(new Error(`not a 200: ${pending.latin1Slice(0, 1000)}`));
      }
      pending = Buffer.alloc(0);
      latenciesMs.push(performance.now() - sentMs);
      ask();
    });
    ask();
  });
}

/**
 * Of the whole answer; -1 while its head is not there.
 *
 * @param {Buffer} answer
 */
function lengthOf(answer) {
  const end = answer.indexOf('\r\n\r\n');
  const lower = answer.indexOf('content-length: ');
  const field = lower < 0 ? answer.indexOf('Content-Length: ') : lower;
  if (end < 0 || field < 0) return -1;
  return end + 4 + Number.parseInt(answer.latin1Slice(field + 16, field + 24), 10);
}

/**
 * @param {number} port
 * @returns {Promise<import('node:net').Socket>}
 */
function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
