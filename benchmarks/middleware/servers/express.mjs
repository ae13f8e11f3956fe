// One Express application: without a limiter, with ours, or with express-rate-limit. Plain JavaScript
// on the compiled library, run by itself.

import express from 'express';
import { rateLimit as peerLimit } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import { rateLimit } from 'sluice/express';
import { connect, cpuMetric, options, settings } from './settings.mjs';

const { limiter, limit, windowMs, port } = settings;
const redis = await connect();
const app = express();
app.get('/v1/health', (_req, res) => res.json({ status: 'ok' }));
app.get('/metrics', (_req, res) => res.send(cpuMetric()));

const user = (/** @type {import('express').Request} */ req) => req.get('x-api-key') ?? '';
if (limiter === 'sluice') app.use(rateLimit({ ...options, ...(redis && { redis }), by: { user } }));
if (limiter === 'peer') {
  const sendCommand = (/** @type {string[]} */ ...command) =>
    /** @type {any} */ (redis)?.call(...command);
  const store = redis && { store: new RedisStore({ sendCommand }) };
  app.use(peerLimit({ windowMs, limit, keyGenerator: user, ...store }));
}

app.get('/orders/:id', (req, res) => res.json({ id: req.params.id, total: 42 }));
app.listen(port, '127.0.0.1');
