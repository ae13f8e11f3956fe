// `sluice/hono`: `app.use(rateLimit({ limits }))`, on Node, Bun, Deno or at the edge.

import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import {
  FetchResponse,
  Guard,
  limitWith,
  rateLimitOf,
  resultOf,
  type Facts,
  type LimitCall,
  type LimitResult,
  type RateLimit,
  type RateLimitOptions,
  type RefusedOutcome,
} from '../core/index.ts';

export { byRoute, unmatchedResource } from '../core/index.ts';
export type { KeyParts, LimitResult, RateLimit, Refusal, RouteRules } from '../core/index.ts';
export { rateLimitOf };

declare module 'hono' {
  interface ContextVariableMap {
    /** What `rateLimit` decided; absent where it did not. */
    rateLimit?: RateLimit;
  }
}

export type HonoRateLimitOptions = RateLimitOptions<Context> & {
  /** The address at the other end, where it is not Node's server that knows it. */
  readonly peer?: (c: Context) => string | undefined;
};

const responses = new WeakMap<Context, FetchResponse>();

/** Limits calls. Mount it after authentication, where users are counted. */
export function rateLimit(options: HonoRateLimitOptions): MiddlewareHandler {
  const guard = new Guard<Context>(options, { more: ['peer'] });
  const { peer = nodePeer } = options;
  return async (c, next) => {
    const known = responses.get(c);
    const response = known ?? new FetchResponse(() => c.req.raw.signal);
    responses.set(c, response);
    const outcome = await guard.run(factsOf(c, response, peer));
    c.set('rateLimit', rateLimitOf(c));
    if (outcome.kind === 'refuse') {
      Object.assign(response.headers, outcome.headers);
      c.res = responseOf(outcome);
    } else if (outcome.kind === 'gone') c.res = new Response(null, { status: 499 });
    else await next();
    for (const [name, value] of Object.entries(response.headers)) c.header(name, value);
    // Only the outermost has the response that is sent.
    if (!known) watch(c, response);
    return undefined;
  };
}

/** A further question, once the handler knows more: `limit(c, { costs: { elements } })`. */
export async function limit(c: Context, call: LimitCall<Context>): Promise<LimitResult<Response>> {
  return resultOf(await limitWith(c, call), (outcome) => {
    const response = responses.get(c);
    if (response) Object.assign(response.headers, outcome.headers);
    return responseOf(outcome);
  });
}

function responseOf({ status, headers, body }: RefusedOutcome): Response {
  return new Response(body as string, { status, headers });
}

function watch(c: Context, response: FetchResponse): void {
  const watched = response.watched(c.res);
  if (watched === c.res) return;
  // Cleared first: Hono would merge the headers of both.
  c.res = undefined;
  c.res = watched;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** What `@hono/node-server` leaves for who looks. */
function nodePeer({ env }: Context): string | undefined {
  const { incoming } = (env ?? {}) as {
    incoming?: { socket?: { remoteAddress?: string | undefined } };
  };
  return incoming?.socket?.remoteAddress;
}

function factsOf(
  c: Context,
  response: FetchResponse,
  peer: (c: Context) => string | undefined,
): Facts<Context> {
  return {
    native: c,
    identity: c,
    method: c.req.method,
    url: () => pathOf(c.req.url),
    // Kept by Hono, for who asks again in another way.
    body: () => c.req.arrayBuffer(),
    header: (name) => c.req.header(name),
    route: () => templateOf(c),
    peer: () => peer(c),
    response: response.facts,
  };
}

/**
 * The template of the route that will answer; null when none will. Among what was matched is this
 * middleware too: it is for all methods, and a path that ends in a star is no route's.
 */
function templateOf(c: Context): string | null {
  const routes = matchedRoutes(c);
  const route =
    routes.findLast(({ method }) => method !== 'ALL') ??
    routes.findLast(({ path }) => !path.endsWith('*'));
  return route?.path ?? null;
}
