// `sluice/koa`: `app.use(rateLimit({ limits }))`, or before one handler of a router.

import type { Context, Middleware } from 'koa';
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
} from '../core/index.ts';
import { templateOf } from './template.ts';

export { byRoute, unmatchedResource } from '../core/index.ts';
export type { KeyParts, LimitResult, RateLimit, Refusal, RouteRules } from '../core/index.ts';
export { rateLimitOf };

declare module 'koa' {
  interface DefaultState {
    /** What `rateLimit` decided; absent where it did not. */
    rateLimit?: RateLimit;
  }
}

export type KoaRateLimitOptions = RateLimitOptions<Context>;

/** Limits calls. Mount it after authentication, where users are counted. */
export function rateLimit(options: KoaRateLimitOptions): Middleware {
  const guard = new Guard(options);
  return async (ctx, next) => {
    const told: Record<string, string> = {};
    const outcome = await guard.run(factsOf(ctx, told));
    const decided = rateLimitOf(ctx);
    if (decided) ctx.state.rateLimit = decided;
    if (outcome.kind === 'refuse') return refuse(ctx, outcome);
    if (outcome.kind === 'gone') return undefined;
    try {
      return await next();
    } catch (error) {
      throw withHeaders(error, told);
    }
  };
}

/** A further question, once the handler knows more: `limit(ctx, { costs: { elements } })`. */
export async function limit(ctx: Context, call: LimitCall<Context>): Promise<LimitResult<void>> {
  return resultOf(await limitWith(ctx, call), (outcome) => refuse(ctx, outcome));
}

function refuse(ctx: Context, { status, headers, body }: RefusedOutcome): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = Buffer.from(body as string);
  // A body sets a type of its own.
  const type = headers['Content-Type'] ?? headers['content-type'];
  if (type !== undefined) ctx.set('Content-Type', type);
  else ctx.remove('Content-Type');
}

/** Koa answers an error without the headers that were set before, but with those of the error. */
function withHeaders(error: unknown, told: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof Error)) return error;
  const { headers } = error as { headers?: Readonly<Record<string, string>> };
  return Object.assign(error, { headers: { ...told, ...headers } });
}

function factsOf(ctx: Context, told: Record<string, string>): Facts<Context> {
  const response = nodeResponse(ctx.res);
  return {
    native: ctx,
    identity: ctx,
    method: ctx.method,
    url: () => ctx.originalUrl,
    body: () => (ctx.request as { body?: unknown }).body,
    header: (name) => nodeHeader(ctx.req, name),
    route: () => templateOf(ctx),
    peer: () => ctx.req.socket.remoteAddress,
    frameworkAddress: () => ctx.ip,
    response: {
      capture: response.capture,
      onEnd: response.onEnd,
      get isSent() {
        return response.isSent;
      },
      setHeader(name, value) {
        told[name] = value;
        response.setHeader(name, value);
      },
    },
  };
}
