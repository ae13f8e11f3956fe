// A small shop as one function from Request to Response, as runtimes at the edge want it: every user
// has 100 requests a minute, a search costs five of them, and a user may have two exports open at a
// time. Try it:
//
//   node examples/fetch/main.mjs
//   curl -i localhost:3000/orders -H 'authorization: Bearer ann'

import { serve } from '@hono/node-server';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrency, slidingWindowCounter } from 'sluice';
import { rateLimit, rateLimitOf } from 'sluice/fetch';

/** @type {Readonly<Record<string, (request: Request) => Response | Promise<Response>>>} */
const handlers = {
  '/orders': (request) => Response.json({ left: rateLimitOf(request)?.decision.remaining }),
  '/search': () => Response.json({ found: [] }),
  '/export': async () => new Response(await sleep(500, 'id,total\n')),
};
const pathOf = (/** @type {Request} */ request) => new URL(request.url).pathname;
const userOf = (/** @type {Request} */ request) =>
  request.headers.get('authorization')?.replace('Bearer ', '');

const shop = rateLimit(
  {
    limits: [slidingWindowCounter({ name: 'per-minute', limit: 100, window: '1 min' })],
    by: { user: userOf },
    route: (request) => (pathOf(request) in handlers ? pathOf(request) : null),
    routes: {
      'GET:/search': { cost: 5 },
      'GET:/export': {
        limits: [concurrency({ name: 'exports', maxConcurrent: 2, staleAfter: '30 s' })],
      },
    },
  },
  (request) => handlers[pathOf(request)]?.(request) ?? new Response(null, { status: 404 }),
);

/** Health is free, and who does not say who it is gets no further. */
const fetch = (/** @type {Request} */ request) => {
  if (pathOf(request) === '/health') return new Response('ok');
  return userOf(request) ? shop(request) : new Response('Bearer <name>', { status: 401 });
};

const port = Number(process.env.PORT ?? 3000);
serve({ fetch, port }, (address) => console.log('listening on', address));
