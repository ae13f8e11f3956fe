// A small shop on Hono: every user has 100 requests a minute, a search costs five of them, and a user
// may have two exports open at a time. Try it:
//
//   node examples/hono/main.mjs
//   curl -i localhost:3000/orders -H 'authorization: Bearer ann'

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrency, slidingWindowCounter } from 'sluice';
import { rateLimit } from 'sluice/hono';

/** @type {Hono<{ Variables: { user: string } }>} */
const app = new Hono();

// Health is free: it stands before the limiter.
app.get('/health', (c) => c.text('ok'));

// Who calls. Here a token is its user's name; yours looks it up.
app.use(async (c, next) => {
  const user = c.req.header('authorization')?.replace('Bearer ', '');
  if (!user) return c.json({ error: 'Say who you are: authorization: Bearer <name>' }, 401);
  c.set('user', user);
  return next();
});

app.use(
  rateLimit({
    limits: [slidingWindowCounter({ name: 'per-minute', limit: 100, window: '1 min' })],
    by: { user: (c) => c.get('user') },
    routes: {
      'GET:/search': { cost: 5 },
      'GET:/export': {
        limits: [concurrency({ name: 'exports', maxConcurrent: 2, staleAfter: '30 s' })],
      },
    },
  }),
);

app.get('/orders', (c) => c.json({ left: c.get('rateLimit')?.decision.remaining }));
app.get('/search', (c) => c.json({ found: [] }));
app.get('/export', async (c) => c.text(await sleep(500, 'id,total\n')));

const port = Number(process.env.PORT ?? 3000);
serve({ fetch: app.fetch, port }, (address) => console.log('listening on', address));
