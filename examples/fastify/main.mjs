// A small shop on Fastify: every user has 100 requests a minute, a search costs five of them, and a
// user may have two exports open at a time. Try it:
//
//   node examples/fastify/main.mjs
//   curl -i localhost:3000/orders -H 'authorization: Bearer ann'

import fastify from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrency, slidingWindowCounter } from 'sluice';
import { rateLimit } from 'sluice/fastify';

const app = fastify({ forceCloseConnections: true });

// Who calls. Here a token is its user's name; yours looks it up.
app.decorateRequest('user');
app.addHook('onRequest', async (request, reply) => {
  const user = request.headers.authorization?.replace('Bearer ', '');
  if (!user && request.url !== '/health') {
    return reply.code(401).send({ error: 'Say who you are: authorization: Bearer <name>' });
  }
  request.setDecorator('user', user);
});

await app.register(rateLimit, {
  limits: [slidingWindowCounter({ name: 'per-minute', limit: 100, window: '1 min' })],
  by: { user: (request) => request.getDecorator('user') },
});

const twoAtATime = {
  limits: [concurrency({ name: 'exports', maxConcurrent: 2, staleAfter: '30 s' })],
};
app.get('/health', { config: { rateLimit: false } }, async () => 'ok');
app.get('/orders', async (request) => ({ left: request.rateLimit?.decision.remaining }));
app.get('/search', { config: { rateLimit: { cost: 5 } } }, async () => ({ found: [] }));
app.get('/export', { config: { rateLimit: twoAtATime } }, async () => sleep(500, 'id,total\n'));

await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log('listening on', app.server.address());
