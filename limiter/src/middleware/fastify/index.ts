// `sluice/fastify`: `app.register(rateLimit, { limits })`; routes say more in `config.rateLimit`.

import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import {
  Guard,
  limitWith,
  nodeHeader,
  nodeResponse,
  rateLimitOf,
  resultOf,
  type Facts,
  type LimitCall,
  type LimitResult,
  type RateLimit,
  type RateLimitOptions,
  type RefusedOutcome,
  type RouteRules,
} from '../core/index.ts';

export { byRoute, unmatchedResource } from '../core/index.ts';
export type { KeyParts, LimitResult, RateLimit, Refusal, RouteRules } from '../core/index.ts';
export { rateLimitOf };

declare module 'fastify' {
  interface FastifyRequest {
    /** What `rateLimit` decided; null where it did not. */
    rateLimit: RateLimit | null;
  }
  interface FastifyContextConfig {
    /** The route's own rules; `false`: not limited. */
    rateLimit?: RouteRules<FastifyRequest> | false;
  }
}

/** When in a request's life: after authentication is `preHandler`, and so is what needs the body. */
type Hook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler';

export type FastifyRateLimitOptions = RateLimitOptions<FastifyRequest> & {
  /** Default `onRequest`: before anything is read; with a `shield` `preHandler`. */
  readonly hook?: Hook;
};

/** Limits the calls of the instance that it is registered on, those to no route included. */
export const rateLimit: FastifyPluginCallback<FastifyRateLimitOptions> = Object.assign(
  (app: FastifyInstance, options: FastifyRateLimitOptions, done: () => void) => {
    const guard = new Guard(options, { more: ['hook', 'prefix', 'logLevel', 'logSerializers'] });
    if (!app.hasRequestDecorator('rateLimit')) app.decorateRequest('rateLimit', null);
    const decide = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const outcome = await guard.run(factsOf(request, reply));
      request.rateLimit = rateLimitOf(request) ?? null;
      if (outcome.kind === 'pass') return undefined;
      if (outcome.kind === 'refuse') return refuse(reply, outcome);
      return reply.hijack();
    };
    const { hook = options.shield ? 'preHandler' : 'onRequest' } = options;
    if (hook === 'preParsing')
      app.addHook(hook, async (request, reply) => void (await decide(request, reply)));
    else app.addHook(hook, decide);
    done();
  },
  // For the instance itself and not only for a scope of its own.
  { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'sluice' },
);

const replies = new WeakMap<FastifyRequest, FastifyReply>();

/** A further question, once the handler knows more: `limit(request, { costs: { elements } })`. */
export async function limit(
  request: FastifyRequest,
  call: LimitCall<FastifyRequest>,
): Promise<LimitResult<FastifyReply>> {
  const limited = await limitWith(request, call);
  return resultOf(limited, (outcome) => refuse(replies.get(request) as FastifyReply, outcome));
}

function refuse(reply: FastifyReply, { status, headers, body }: RefusedOutcome): FastifyReply {
  // As bytes: a text would be sent through the route's serializer.
  return reply
    .code(status)
    .headers(headers)
    .send(Buffer.from(body as string));
}

function factsOf(request: FastifyRequest, reply: FastifyReply): Facts<FastifyRequest> {
  replies.set(request, reply);
  const response = nodeResponse(reply.raw);
  return {
    native: request,
    identity: request,
    method: request.method,
    url: () => request.originalUrl,
    body: () => request.body,
    header: (name) => nodeHeader(request.raw, name),
    route: () => (request.is404 ? null : (request.routeOptions.url ?? null)),
    peer: () => request.socket.remoteAddress,
    frameworkAddress: () => request.ip,
    rules: () => request.routeOptions.config.rateLimit,
    response: {
      capture: response.capture,
      onEnd: response.onEnd,
      setHeaders: (headers) => void (reply.sent || reply.headers(headers)),
    },
  };
}
