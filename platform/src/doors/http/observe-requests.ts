import type { FastifyRequest } from 'fastify';
import type { Metrics, RequestSpan, Tracing } from '../../observe/index.ts';
import type { HttpServer } from './server.ts';

const unmatched = 'none';

/** Every request is timed; where traces are wanted, it has a span that what it causes belongs to. */
export function observeRequests(
  app: HttpServer,
  { metrics, tracing }: { readonly metrics: Metrics; readonly tracing: Tracing },
): void {
  app.addHook('onRoute', ({ url }) => metrics.addRoute(url));
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? unmatched;
    metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime * 1000);
    if (reply.statusCode >= 500) metrics.requestEnded(route, 'failed');
    else if (reply.statusCode >= 400 && !isDecision(reply.statusCode, route)) {
      metrics.requestEnded(route, 'rejected');
    }
    done();
  });
  if (tracing.enabled) traceRequests(app, tracing);
}

const deciding = new Set(['/v1/check', '/json']);

/** A refusal was counted when it was decided. */
function isDecision(statusCode: number, route: string): boolean {
  return statusCode === 429 && deciding.has(route);
}

function traceRequests(app: HttpServer, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const span = tracing.startRequest({
      method: request.method,
      route: request.routeOptions.url ?? null,
      url: request.url,
      headers: request.headers,
    });
    spans.set(request, span);
    span.run(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode);
    done();
  });
}
