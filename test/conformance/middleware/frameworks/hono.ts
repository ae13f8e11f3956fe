import { getRequestListener } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { createServer } from 'node:http';
import { limit, rateLimit, type HonoRateLimitOptions } from 'sluice/hono';
import type { Call, Framework, Handler } from '../rig.ts';
import { optionsOf, plain, routesOf, served } from './routes.ts';

type Env = { Variables: { user?: string } };

export const hono: Framework = {
  name: 'hono',
  serve(spec) {
    const app = new Hono<Env>();
    app.use(async (c, next) => {
      const user = c.req.header('x-user');
      if (user !== undefined) c.set('user', user);
      await next();
    });
    const read = {
      header: (c: Context, name: string) => c.req.header(name),
      user: (c: Context<Env>) => c.get('user'),
    };
    for (const options of optionsOf(spec, read)) {
      app.use(rateLimit(options as unknown as HonoRateLimitOptions));
    }
    for (const { method, path, handler } of routesOf(spec)) {
      app.on(method.toUpperCase(), path, (c) => answer(handler, c));
    }
    app.onError((error, c) => c.text(error.message, 500));
    const listener = getRequestListener(app.fetch);
    return served(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
  },
};

async function answer(handler: Handler, c: Context): Promise<Response> {
  const call: Call = {
    rateLimit: () => c.get('rateLimit'),
    header: (name) => c.req.header(name),
    limit: async (asked) => {
      const result = await limit(c, asked as Parameters<typeof limit>[1]);
      return result.allowed ? result : { ...result, refuse: () => ({ native: result.refuse }) };
    },
  };
  const reply = await handler(call);
  if (reply.native) return (reply.native as () => Response)();
  const { status, body, headers } = { ...plain, ...reply };
  return new Response(body, { status, headers });
}
