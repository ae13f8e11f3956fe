import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import { createServer } from 'node:http';
import { limit, rateLimit, type KoaRateLimitOptions } from 'sluice/koa';
import type { Call, Framework, Handler } from '../rig.ts';
import { optionsOf, plain, routesOf, served } from './routes.ts';

export const koa: Framework = {
  name: 'koa',
  serve(spec) {
    const app = new Koa();
    app.silent = true;
    app.use(exposing);
    app.use(parseJson);
    app.use((ctx, next) => {
      const user = ctx.get('x-user');
      if (user !== '') ctx.state['user'] = user;
      return next();
    });
    const read = {
      header: (ctx: Context, name: string) => ctx.get(name) || undefined,
      user: (ctx: Context) => ctx.state['user'] as string | undefined,
    };
    for (const options of optionsOf(spec, read)) {
      app.use(rateLimit(options as unknown as KoaRateLimitOptions));
    }
    const router = new Router();
    for (const { method, path, handler } of routesOf(spec)) {
      router[method as 'get'](path, (ctx) => answer(handler, ctx as unknown as Context));
    }
    app.use(router.routes());
    const listener = app.callback();
    return served(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
  },
};

/** As `koa-bodyparser` does. */
async function parseJson(ctx: Context, next: () => Promise<void>): Promise<void> {
  if (ctx.is('json')) {
    const text = Buffer.concat(await ctx.req.toArray()).toString();
    (ctx.request as { body?: unknown }).body = JSON.parse(text);
  }
  await next();
}

/** What Koa hides of an error is what tests are about. */
async function exposing(_ctx: Context, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    throw Object.assign(error as Error, { expose: true });
  }
}

async function answer(handler: Handler, ctx: Context): Promise<void> {
  const call: Call = {
    rateLimit: () => ctx.state.rateLimit,
    header: (name) => ctx.get(name) || undefined,
    limit: async (asked) => {
      const result = await limit(ctx, asked as Parameters<typeof limit>[1]);
      return result.allowed ? result : { ...result, refuse: () => ({ native: result.refuse }) };
    },
  };
  const reply = await handler(call);
  if (reply.native) return (reply.native as () => void)();
  const { status, body, headers } = { ...plain, ...reply };
  ctx.set(headers);
  ctx.body = body;
  ctx.status = status;
}
