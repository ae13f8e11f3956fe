// A process of its own that sends as many checks as it can or is told to, so that who measures is not held up by
// who floods. Told all by one message; says what it was told in the end.

import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

// Who measures, and who is measured, does not wait for a processor that this one has.
setPriority(10);

process.once('disconnect', () => process.exit(1));

process.once('message', (message) => {
  void flood(/** @type {import('./flood.ts').FloodOrder} */ (message));
});

/** @param {import('./flood.ts').FloodOrder} order */
async function flood({ url, keys, connections, forMs, fromOthers, perSecond = Infinity }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** @type {Record<string, number>} */
  const statuses = {};
  const startMs = performance.now();
  const endMs = startMs + forMs;
  let sent = 0;
  const lane = async () => {
    while (performance.now() < endMs) {
      const at = sent++;
      const earlyMs = startMs + (at * 1000) / perSecond - performance.now();
      if (earlyMs > 1) await sleep(earlyMs);
      const status = await ask(agent, url, keys[at % keys.length] ?? '', fromOthers ? at : null);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  agent.destroy();
  process.send?.({ sent, statuses });
  process.disconnect();
}

/**
 * @param {Agent} agent
 * @param {string} url
 * @param {string} key
 * @param {number | null} from the number of an address to say that it comes from
 * @returns {Promise<number>} 0 without an answer
 */
function ask(agent, url, key, from) {
  return new Promise((resolve) => {
    const forwarded =
      from === null
        ? {}
        : { 'x-forwarded-for': `203.${from % 250}.${Math.floor(from / 250) % 250}.7` };
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...forwarded };
    const asked = request(`${url}/v1/check`, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', () => resolve(0));
    asked.end('{"resource":"GET:/","subject":"ann"}');
  });
}
