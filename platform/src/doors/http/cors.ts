import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const allowedHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'x-api-key',
  'x-idempotency-key',
  'x-request-id',
].join(', ');
const exposedHeaders = [
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Warning',
  'X-Request-Id',
].join(', ');
const preflightSeconds = 600;

/**
 * Lets pages of these origins, and no others, call us. Credentials are headers that a page must hold
 * itself, so cookies and the like are never asked for.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const known = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    // Also without an origin: a cache must not hand this answer to a page.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !known.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', exposedHeaders);
    if (isPreflight(request)) return answerPreflight(reply);
    done();
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function answerPreflight(reply: FastifyReply): void {
  reply
    .code(204)
    .header('access-control-allow-methods', allowedMethods)
    .header('access-control-allow-headers', allowedHeaders)
    .header('access-control-max-age', String(preflightSeconds))
    .send();
}
