import express, { type Request, type Response } from 'express';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { limit, rateLimit, type ExpressRateLimitOptions } from 'sluice/express';
import type { AppSpec, Call, Framework, Handler } from '../rig.ts';
import { optionsOf, plain, routesOf, served } from './routes.ts';

type Made = typeof express;
// Its types are those of another version.
const express4 = createRequire(import.meta.url)('express4') as Made;
type WithUser = Request & { user?: string };

/** Half of the routes are in a router of their own, as in most programs. */
function appOf(make: Made, spec: AppSpec) {
  const app = make();
  app.disable('x-powered-by');
  app.use(make.json());
  app.use((req: WithUser, _res, next) => {
    const user = req.get('x-user');
    if (user !== undefined) req.user = user;
    next();
  });
  const read = {
    header: (req: Request, name: string) => req.get(name),
    user: (req: WithUser) => req.user,
  };
  for (const options of optionsOf(spec, read)) {
    app.use(rateLimit(options as unknown as ExpressRateLimitOptions));
  }
  const router = make.Router();
  for (const { method, path, handler } of routesOf(spec)) {
    router[method as 'get'](path, async (req, res, next) => {
      try {
        await answer(handler, req, res);
      } catch (error) {
        next(error);
      }
    });
  }
  app.use(router);
  // Its own page would print the error.
  app.use((error: Error, _req: Request, res: Response, _next: unknown) => {
    res.status(500).send(error.message);
  });
  return app;
}

async function answer(handler: Handler, req: Request, res: Response): Promise<void> {
  const call: Call = {
    rateLimit: () => req.rateLimit,
    header: (name) => req.get(name),
    limit: async (asked) => {
      const result = await limit(req, asked as Parameters<typeof limit>[1]);
      return result.allowed ? result : { ...result, refuse: () => ({ native: result.refuse }) };
    },
  };
  const reply = await handler(call);
  if (reply.native) return (reply.native as () => void)();
  const { status, body, headers } = { ...plain, ...reply };
  res.status(status).set(headers).send(body);
}

const named = (name: string, make: Made): Framework => ({
  name,
  serve: (spec) => served(createServer(appOf(make, spec))),
});

export const expresses = [named('express 5', express), named('express 4', express4)];
