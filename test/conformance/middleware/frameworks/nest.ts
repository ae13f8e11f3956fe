// Classes are all that Nest knows, also where there is nothing to put into one.
// oxlint-disable typescript/no-extraneous-class
// oxlint-disable-next-line import/no-unassigned-import -- Nest's own decorators need it.
import 'reflect-metadata';
import {
  Controller,
  Module,
  RequestMapping,
  RequestMethod,
  Res,
  Req,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { limit, RateLimitModule, rateLimitOf, type NestRateLimitOptions } from 'sluice/nest';
import type { AppSpec, Call, Framework, Handler } from '../rig.ts';
import { optionsOf, plain, routesOf } from './routes.ts';

/** What both platforms have in common. */
type PlatformRequest = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  user?: string;
};
type PlatformReply = {
  status(code: number): PlatformReply;
  header?(name: string, value: string): PlatformReply;
  send(body: string): unknown;
};

const requestOf = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<PlatformRequest>();

class Authentication implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const user = request.headers['x-user'];
    if (user !== undefined) request.user = user;
    return true;
  }
}

/** Decorators by hand, for what is made at run time. */
function moduleOf(spec: AppSpec) {
  class Routes {}
  for (const { method, path, handler } of routesOf(spec)) {
    const name = `${method} ${path}`;
    const handle = (request: PlatformRequest, reply: PlatformReply) =>
      answer(handler, request, reply);
    Object.defineProperty(Routes.prototype, name, {
      value: handle,
      configurable: true,
      writable: true,
    });
    Req()(Routes.prototype, name, 0);
    Res()(Routes.prototype, name, 1);
    const verb = RequestMethod[method.toUpperCase() as 'GET'];
    const descriptor = Object.getOwnPropertyDescriptor(
      Routes.prototype,
      name,
    ) as PropertyDescriptor;
    RequestMapping({ path, method: verb })(Routes.prototype, name, descriptor);
  }
  Controller()(Routes);
  const read = {
    header: (context: ExecutionContext, name: string) => requestOf(context).headers[name],
    user: (context: ExecutionContext) => requestOf(context).user,
  };
  class Root {}
  Module({
    imports: optionsOf(spec, read).map((options, at) =>
      limits(options as unknown as NestRateLimitOptions, at),
    ),
    controllers: [Routes],
  })(Root);
  class Whole {}
  class Before {}
  Module({ providers: [{ provide: APP_GUARD, useClass: Authentication }] })(Before);
  Module({ imports: [Before, Root] })(Whole);
  return Whole;
}

/** The second one by another way to make it. */
function limits(options: NestRateLimitOptions, at: number) {
  if (at === 0) return RateLimitModule.forRoot(options);
  return RateLimitModule.forRootAsync({ useFactory: async () => options });
}

async function answer(
  handler: Handler,
  request: PlatformRequest,
  reply: PlatformReply,
): Promise<unknown> {
  const call: Call = {
    rateLimit: () => rateLimitOf(request),
    header: (name) => request.headers[name],
    limit: async (asked) => {
      const result = await limit(request, asked as Parameters<typeof limit>[1]);
      return result.allowed ? result : { ...result, refuse: () => ({ native: result.refuse }) };
    },
  };
  const said = await handler(call);
  if (said.native) return (said.native as () => never)();
  const { status, body, headers } = { ...plain, ...said };
  for (const [name, value] of Object.entries(headers)) reply.header?.(name, String(value));
  return reply.status(status).send(body);
}

/** Its own would only say that something went wrong. */
class Telling {
  catch(
    error: Error & { getStatus?: () => number; getResponse?: () => unknown },
    host: ExecutionContext,
  ) {
    const reply = host.switchToHttp().getResponse<PlatformReply>();
    const body = error.getResponse?.() ?? error.message;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return reply.status(error.getStatus?.() ?? 500).send(text);
  }
}

const named = (name: string, create: (root: object) => Promise<INestApplication>): Framework => ({
  name,
  async serve(spec) {
    const app = await create(moduleOf(spec));
    app.useGlobalFilters(new Telling());
    await app.listen(0, '127.0.0.1');
    return { url: (await app.getUrl()).replace('[::1]', '127.0.0.1'), close: () => app.close() };
  },
});

const quiet = { logger: false, abortOnError: false, forceCloseConnections: true } as const;

export const nests = [
  named('nest on express', (root) =>
    NestFactory.create(root as never, new ExpressAdapter(), quiet),
  ),
  named('nest on fastify', (root) =>
    NestFactory.create(root as never, new FastifyAdapter({ forceCloseConnections: true }), quiet),
  ),
];
