// The load, in a process of its own: one HTTP/2 connection to each server, as a thread of a gateway
// has, with so many calls under way. Plain JavaScript: run by itself, without a loader.

import { connect } from 'node:http2';

/**
 * @typedef {{ port: number, inFlight: number, subjects: number }} Load
 * @typedef {{ session: import('node:http2').ClientHttp2Session, bodies: Buffer[], inFlight: number }} Lane
 */

const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const headers = {
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-timeout': '60S',
};

/** @type {Map<string, Lane>} */
const lanes = new Map();

process.on('message', (/** @type {any} */ { define, run, name }) => {
  if (define) {
    lanes.set(name, open(define));
    process.send?.({ done: true });
    return;
  }
  drive(/** @type {Lane} */ (lanes.get(name)), run).then(
    (report) => process.send?.({ report }),
    (error) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }),
  );
});

/**
 * @param {Load} load
 * @returns {Lane}
 */
function open({ port, inFlight, subjects }) {
  const session = connect(`http://127.0.0.1:${port}`);
  const bodies = Array.from({ length: subjects }, (_, at) => framed(request(`user-${at}`)));
  return { session, bodies, inFlight };
}

/**
 * @param {Lane} lane
 * @param {{ ms: number, answers: number }} until
 */
async function drive({ session, bodies, inFlight }, { ms, answers }) {
  /** @type {number[]} */
  const latenciesMs = [];
  let turn = 0;
  let seed = 20_260_115;
  const startMs = performance.now();
  const endMs = startMs + ms;
  const ask = async () => {
    while (turn !== answers && performance.now() < endMs) {
      turn += 1;
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      const sentMs = performance.now();
      const at = Math.floor((seed / 2 ** 32) * bodies.length);
      await call(session, bodies[at] ?? Buffer.alloc(0));
      latenciesMs.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, ask));
  const tookMs = performance.now() - startMs;
  const sorted = Float64Array.from(latenciesMs).toSorted();
  const at = (/** @type {number} */ share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { answers: sorted.length, tookMs, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/**
 * @param {import('node:http2').ClientHttp2Session} session
 * @param {Buffer} body
 * @returns {Promise<void>}
 */
function call(session, body) {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let said = 'no status';
    const hear = (/** @type {import('node:http2').IncomingHttpHeaders} */ told) => {
      said = String(told['grpc-status'] ?? said);
    };
    let first = -1;
    stream.on('response', hear);
    stream.on('trailers', hear);
    // The prefix of five bytes, then the overall code: 1 is OK.
    stream.on('data', (chunk) => (first = first < 0 ? chunk[6] : first));
    stream.on('error', reject);
    stream.on('close', () => {
      if (said === '0' && first === 1) resolve();
      else reject(new Error(`not an OK: status ${said}, code ${first}`));
    });
    stream.end(body);
  });
}

/** @param {string} user */
function request(user) {
  const entry = Buffer.concat([field(1, 'user'), field(2, user)]);
  return Buffer.concat([field(1, 'bench'), field(2, field(1, entry))]);
}

/**
 * A short field of bytes.
 *
 * @param {number} number
 * @param {string | Buffer} value
 */
function field(number, value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

/** @param {Buffer} message */
function framed(message) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
