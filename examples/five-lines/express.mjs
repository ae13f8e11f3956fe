// The middleware as the README shows it, and eleven calls in a row to it.
// `npm run build && node examples/five-lines/express.mjs`

import { once } from 'node:events';
import express from 'express';
import { tokenBucket } from 'sluice';
import { rateLimit } from 'sluice/express';

const app = express();
app.use(rateLimit({ limits: [tokenBucket({ capacity: 10, refillPerSecond: 2 })] }));

app.get('/', (_req, res) => res.send('hello'));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
for (let calls = 0; calls < 11; calls += 1) {
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/`);
  console.log(status, headers.get('x-ratelimit-remaining'), headers.get('retry-after'));
}
server.close();
server.closeAllConnections();
