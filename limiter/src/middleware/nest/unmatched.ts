import type { ExecutionContext, HttpServer } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimitGuard } from './guard.ts';

/** Nest's guards run for routes only: what is called besides is limited by the platform's own means. */
export function limitUnmatched(adapter: HttpServer | undefined, guard: RateLimitGuard): void {
  if (adapter?.getType() === 'fastify') {
    limitOnFastify(adapter.getInstance() as FastifyInstance, guard);
  } else if (adapter?.getType() === 'express') {
    limitOnExpress(adapter, guard);
  }
}

function limitOnFastify(app: FastifyInstance, guard: RateLimitGuard): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.is404) return undefined;
    const outcome = await guard.runUnmatched(contextOf(request, reply));
    if (outcome.kind !== 'refuse') return undefined;
    return reply
      .code(outcome.status)
      .headers(outcome.headers)
      .send(Buffer.from(outcome.body as string));
  });
}

/** Once all routes are there, and before what answers that there is none. */
function limitOnExpress(adapter: HttpServer, guard: RateLimitGuard): void {
  adapter.use(async (request: Request, response: Response, next: NextFunction) => {
    try {
      const outcome = await guard.runUnmatched(contextOf(request, response));
      if (outcome.kind === 'refuse') {
        response.status(outcome.status).set(outcome.headers).end(outcome.body);
        return;
      }
    } catch (error) {
      next(error);
      return;
    }
    next();
  });
}

/** What functions among the options are given, of a request that has no handler. */
function contextOf(request: unknown, response: unknown): ExecutionContext {
  const args = [request, response];
  const none = () => undefined as never;
  return {
    getType: () => 'http' as never,
    getArgs: () => args as never,
    getArgByIndex: (index: number) => args[index] as never,
    getClass: none,
    getHandler: none,
    switchToHttp: () => ({
      getRequest: () => request as never,
      getResponse: () => response as never,
      getNext: none,
    }),
    switchToRpc: none,
    switchToWs: none,
  };
}
