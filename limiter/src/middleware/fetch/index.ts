// `sluice/fetch`: around any handler from `Request` to `Response`: `rateLimit({ limits }, handler)`.

import {
  FetchResponse,
  Guard,
  limitWith,
  rateLimitOf,
  resultOf,
  type Facts,
  type LimitCall,
  type LimitResult,
  type RateLimitOptions,
  type RefusedOutcome,
} from '../core/index.ts';

export { byRoute, unmatchedResource } from '../core/index.ts';
export type { KeyParts, LimitResult, RateLimit, Refusal, RouteRules } from '../core/index.ts';
export { rateLimitOf };

export type FetchHandler<Rest extends readonly unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>;

export type FetchRateLimitOptions<Rest extends readonly unknown[] = readonly unknown[]> =
  RateLimitOptions<Request> & {
    /**
     * The template of the route, or how to find it; null: no route will answer. Without this all
     * calls count as to no route.
     */
    readonly route?: string | ((request: Request) => string | null);
    /** The address at the other end, which a `Request` does not know. */
    readonly peer?: (request: Request, ...rest: Rest) => string | undefined;
  };

/** The handler under limits. What else it is called with is passed on. */
export function rateLimit<Rest extends readonly unknown[]>(
  options: FetchRateLimitOptions<Rest>,
  handler: FetchHandler<Rest>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  const guard = new Guard<Request>(options, { more: ['route', 'peer'] });
  const { route = null, peer } = options;
  const templateOf = typeof route === 'function' ? route : () => route;
  return async (request, ...rest) => {
    const response = new FetchResponse(() => request.signal);
    const facts: Facts<Request> = {
      native: request,
      identity: request,
      method: request.method,
      url: () => pathOf(request.url),
      body: () => request.clone().arrayBuffer(),
      header: (name) => request.headers.get(name) ?? undefined,
      route: () => templateOf(request),
      peer: () => peer?.(request, ...rest),
      response: response.facts,
    };
    const outcome = await guard.run(facts);
    if (outcome.kind === 'refuse') return responseOf(outcome);
    if (outcome.kind === 'gone') return new Response(null, { status: 499 });
    return answered(response, () => handler(request, ...rest));
  };
}

/** A further question, once the handler knows more: `limit(request, { costs: { elements } })`. */
export async function limit(
  request: Request,
  call: LimitCall<Request>,
): Promise<LimitResult<Response>> {
  return resultOf(await limitWith(request, call), responseOf);
}

function responseOf({ status, headers, body }: RefusedOutcome): Response {
  return new Response(body as string, { status, headers });
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

async function answered(
  response: FetchResponse,
  handle: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    const made = await handle();
    return response.watched(withHeaders(made, response.headers));
  } catch (error) {
    response.fail();
    throw error;
  }
}

/** What the handler says itself, such as a refusal of its own, is newer and stays. */
function withHeaders(made: Response, headers: Readonly<Record<string, string>>): Response {
  const missing = Object.entries(headers).filter(([name]) => !made.headers.has(name));
  if (missing.length === 0) return made;
  try {
    for (const [name, value] of missing) made.headers.set(name, value);
    return made;
  } catch {
    // The headers of a response that was fetched can't be changed.
    const copy = new Response(made.body, made);
    for (const [name, value] of missing) copy.headers.set(name, value);
    return copy;
  }
}
