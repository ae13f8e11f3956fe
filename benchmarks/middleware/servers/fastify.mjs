// One Fastify application: without a limiter, with ours, or with @fastify/rate-limit. Plain JavaScript
// on the compiled library, run by itself.

import peerLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import { rateLimit } from 'sluice/fastify';
import { connect, cpuMetric, options, settings, subjectsMax } from './settings.mjs';

const { limiter, limit, windowMs, port } = settings;
const redis = await connect();
const app = fastify();

const user = (/** @type {import('fastify').FastifyRequest} */ request) =>
  String(request.headers['x-api-key']);
if (limiter === 'sluice')
  await app.register(rateLimit, { ...options, ...(redis && { redis }), by: { user } });
if (limiter === 'peer') {
  // Its list is for 5,000 by itself: beyond that, callers would be forgotten.
  const cache = subjectsMax;
  const told = { max: limit, timeWindow: windowMs, keyGenerator: user, cache };
  await app.register(peerLimit, { ...told, ...(redis && { redis }) });
}

const free = { config: { rateLimit: /** @type {const} */ (false) } };
app.get('/v1/health', free, async () => ({ status: 'ok' }));
app.get('/metrics', free, async () => cpuMetric());
app.get('/orders/:id', async (request) => ({
  id: /** @type {{ id: string }} */ (request.params).id,
  total: 42,
}));
await app.listen({ host: '127.0.0.1', port });
