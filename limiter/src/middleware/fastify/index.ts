// `sluice/fastify`: `app.register(rateLimit, { limits })`; routes say more in `config.rateLimit`.

import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import {
  Guard,
  isOwnPromise,
  limitWith,
  rateLimitOf,
  resultOf,
  type LimitCall,
  type LimitResult,
  type Maybe,
  type Outcome,
  type RateLimit,
  type RateLimitOptions,
  type RefusedOutcome,
  type RouteRules,
} from '../core/index.ts';
import { FastifyFacts, replyOf } from './facts.ts';

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

type Next = (error?: Error) => void;

/** Limits the calls of the instance that it is registered on, those to no route included. */
export const rateLimit: FastifyPluginCallback<FastifyRateLimitOptions> = Object.assign(
  (app: FastifyInstance, options: FastifyRateLimitOptions, done: () => void) => {
    const more = ['hook', 'prefix', 'logLevel', 'logSerializers'];
    const guard = new Guard(options, { more, lowerCase: true });
    if (!app.hasRequestDecorator('rateLimit')) {
      app.decorateRequest('rateLimit', {
        getter(this: FastifyRequest) {
          return rateLimitOf(this) ?? null;
        },
      });
    }
    const decide = (request: FastifyRequest, reply: FastifyReply, next: Next): void => {
      let outcome: Maybe<Outcome>;
      try {
        outcome = guard.run(new FastifyFacts(request, reply));
      } catch (error) {
        return next(error as Error);
      }
      if (!isOwnPromise(outcome)) return conclude(outcome, reply, next);
      outcome.then((is) => conclude(is, reply, next), next);
      return undefined;
    };
    const { hook = options.shield ? 'preHandler' : 'onRequest' } = options;
    if (hook === 'preParsing')
      app.addHook(hook, (request, reply, _payload, next) => decide(request, reply, next));
    else app.addHook(hook, decide);
    done();
  },
  // For the instance itself and not only for a scope of its own.
  { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'sluice' },
);

/** A further question, once the handler knows more: `limit(request, { costs: { elements } })`. */
export async function limit(
  request: FastifyRequest,
  call: LimitCall<FastifyRequest>,
): Promise<LimitResult<FastifyReply>> {
  const limited = await limitWith(request, call);
  return resultOf(limited, (outcome) => refuse(replyOf(request), outcome));
}

function conclude(outcome: Outcome, reply: FastifyReply, next: Next): void {
  if (outcome.kind === 'pass') next();
  else if (outcome.kind === 'refuse') void refuse(reply, outcome);
  else reply.hijack();
}

function refuse(reply: FastifyReply, { status, headers, body }: RefusedOutcome): FastifyReply {
  // As bytes: a text would be sent through the route's serializer.
  return reply
    .code(status)
    .headers(headers)
    .send(Buffer.from(body as string));
}
