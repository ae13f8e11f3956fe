// A small shop on Express: every user has 100 requests a minute, a search costs five of them, and a
// user may have two exports open at a time. Try it:
//
//   node examples/express/main.mjs
//   curl -i localhost:3000/orders -H 'authorization: Bearer ann'

import express from 'express';
import { concurrency, slidingWindowCounter } from 'sluice';
import { rateLimit } from 'sluice/express';

const app = express();

// Health is free: it stands before the limiter.
app.get('/health', (_req, res) => res.send('ok'));

// Who calls. Here a token is its user's name; yours looks it up.
app.use((req, res, next) => {
  res.locals.user = req.get('authorization')?.replace('Bearer ', '');
  if (res.locals.user) next();
  else res.status(401).json({ error: 'Say who you are: authorization: Bearer <name>' });
});

app.use(
  rateLimit({
    limits: [slidingWindowCounter({ name: 'per-minute', limit: 100, window: '1 min' })],
    by: { user: (req) => req.res?.locals.user },
    routes: {
      'GET:/search': { cost: 5 },
      'GET:/export': {
        limits: [concurrency({ name: 'exports', maxConcurrent: 2, staleAfter: '30 s' })],
      },
    },
  }),
);

app.get('/orders', (req, res) => res.json({ left: req.rateLimit?.decision.remaining }));
app.get('/search', (_req, res) => res.json({ found: [] }));
app.get('/export', (_req, res) => setTimeout(() => res.send('id,total\n'), 500));

const server = app.listen(Number(process.env.PORT ?? 3000), () =>
  console.log('listening on', server.address()),
);
