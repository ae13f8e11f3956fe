import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createServer } from 'node:http';
import { limit, rateLimit, rateLimitOf, type FetchRateLimitOptions } from 'sluice/fetch';
import type { Call, Framework, Handler } from '../rig.ts';
import { optionsOf, plain, routesOf, served, type Route } from './routes.ts';

type Rest = [HttpBindings];
type Fetch = (request: Request, ...rest: Rest) => Promise<Response>;

/** As somebody would write it who has no framework: a table of patterns. */
export const fetchHandler: Framework = {
  name: 'fetch',
  serve(spec) {
    const routes = routesOf(spec);
    const users = new WeakMap<Request, string>();
    const read = {
      header: (request: Request, name: string) => request.headers.get(name) ?? undefined,
      user: (request: Request) => users.get(request),
    };
    const limited = optionsOf(spec, read).reduceRight<Fetch>(
      (inner, options) => {
        const own = options as unknown as FetchRateLimitOptions<Rest>;
        const route = (request: Request) => findRoute(routes, request)?.path ?? null;
        const peer = (_request: Request, env: HttpBindings) => env.incoming.socket.remoteAddress;
        return rateLimit({ ...own, route, peer }, inner);
      },
      (request) => answer(findRoute(routes, request)?.handler, request),
    );
    const authenticated: Fetch = (request, env) => {
      const user = request.headers.get('x-user');
      if (user !== null) users.set(request, user);
      return limited(request, env).catch((error: Error) => failed(error, request));
    };
    const listener = getRequestListener((request, env) =>
      authenticated(request, env as HttpBindings),
    );
    return served(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
  },
};

/** What a handler threw has no response: who catches it knows what it would have been told. */
function failed(error: Error, request: Request): Response {
  const { limit: size, remaining } = rateLimitOf(request)?.decision ?? {};
  const headers = size
    ? { 'x-ratelimit-limit': String(size), 'x-ratelimit-remaining': String(remaining) }
    : {};
  return new Response(error.message, { status: 500, headers });
}

function findRoute(routes: readonly Route[], { method, url }: Request): Route | undefined {
  const { pathname } = new URL(url);
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  return routes.find((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`);
    return route.method === asked && pattern.test(pathname);
  });
}

async function answer(handler: Handler | undefined, request: Request): Promise<Response> {
  if (!handler) return new Response('nothing here', { status: 404 });
  const call: Call = {
    rateLimit: () => rateLimitOf(request),
    header: (name) => request.headers.get(name) ?? undefined,
    limit: async (asked) => {
      const result = await limit(request, asked as Parameters<typeof limit>[1]);
      return result.allowed ? result : { ...result, refuse: () => ({ native: result.refuse }) };
    },
  };
  const reply = await handler(call);
  if (reply.native) return (reply.native as () => Response)();
  const { status, body, headers } = { ...plain, ...reply };
  return new Response(body, { status, headers });
}
