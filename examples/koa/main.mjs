// A small shop on Koa: every user has 100 requests a minute, a search costs five of them, and a user
// may have two exports open at a time. Try it:
//
//   node examples/koa/main.mjs
//   curl -i localhost:3000/orders -H 'authorization: Bearer ann'

import { Router } from '@koa/router';
import Koa from 'koa';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrency, slidingWindowCounter } from 'sluice';
import { rateLimit } from 'sluice/koa';

const app = new Koa();

// Who calls. Here a token is its user's name; yours looks it up.
app.use((ctx, next) => {
  ctx.state.user = ctx.get('authorization').replace('Bearer ', '');
  if (!ctx.state.user && ctx.path !== '/health') ctx.throw(401, 'authorization: Bearer <name>');
  return next();
});

app.use(
  rateLimit({
    limits: [slidingWindowCounter({ name: 'per-minute', limit: 100, window: '1 min' })],
    by: { user: (ctx) => ctx.state.user },
    routes: {
      'GET:/health': false,
      'GET:/search': { cost: 5 },
      'GET:/export': {
        limits: [concurrency({ name: 'exports', maxConcurrent: 2, staleAfter: '30 s' })],
      },
    },
  }),
);

const router = new Router();
router.get('/health', (ctx) => void (ctx.body = 'ok'));
router.get('/orders', (ctx) => void (ctx.body = { left: ctx.state.rateLimit?.decision.remaining }));
router.get('/search', (ctx) => void (ctx.body = { found: [] }));
router.get('/export', async (ctx) => void (ctx.body = await sleep(500, 'id,total\n')));
app.use(router.routes());

const server = app.listen(Number(process.env.PORT ?? 3000), () =>
  console.log('listening on', server.address()),
);
