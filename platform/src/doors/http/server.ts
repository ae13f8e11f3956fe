import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyInstance,
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { findAmbiguity } from './ambiguous-requests.ts';
import { completeAnswers, headersOfAll } from './answers.ts';
import { refuseOutside, withoutBasePath } from './base-path.ts';
import { endBrokenConnection, isBroken, markBroken } from './broken-requests.ts';
import { trustProxies } from './client-address.ts';
import { allowOrigins } from './cors.ts';
import { prepareDrain } from './drain.ts';
import { answerErrors, sendProblem, toProblem, type ErrorPolicy } from './errors.ts';
import { KnownPaths } from './known-paths.ts';
import { describeApi } from './openapi.ts';
import { Problem } from './problem.ts';
import { createRequestIds } from './request-id.ts';
import { schemaController } from './validation.ts';

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type ServerOptions = Partial<ErrorPolicy> & {
  readonly version: string;
  /** `''`, or what everything is under: `/limits`. */
  readonly basePath?: string;
  /** Origins whose pages may call us, spelt exactly as browsers send them. */
  readonly corsOrigins?: readonly string[];
  /** Networks whose `X-Forwarded-For` counts. */
  readonly trustedProxies?: readonly string[];
  readonly limits?: Partial<typeof defaultLimits>;
};

/** Idle connections outlive those of common balancers (60 s), which would else race our closing. */
export const defaultLimits = {
  bodyBytesMax: 1_048_576,
  headerBytesMax: 16_384,
  paramLengthMax: 512,
  connectionsMax: 20_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 75_000,
  /** Without a byte in either direction: who takes no answer is let go. */
  silenceTimeoutMs: 120_000,
};

/** All that is the same for every route; the routes come as plugins. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const { basePath = '', corsOrigins = [], trustedProxies = [] } = options;
  const policy: ErrorPolicy = {
    isUnavailable: options.isUnavailable ?? (() => false),
    onUnexpected: options.onUnexpected ?? (() => undefined),
  };
  const app = createApp({ ...defaultLimits, ...options.limits }, basePath, policy);
  // A body is JSON or nothing.
  app.removeContentTypeParser('text/plain');
  trustProxies(app, trustedProxies);
  answerErrors(app, policy);
  prepareDrain(app);
  completeAnswers(app, { addsHeaders: corsOrigins.length > 0 });
  refuseBroken(app);
  if (basePath !== '') refuseOutside(app, basePath);
  if (corsOrigins.length > 0) allowOrigins(app, corsOrigins);
  refuseUnknownRoutes(app);
  await describeApi(app, { version: options.version, basePath });
  return app;
}

function createApp(
  limits: typeof defaultLimits,
  basePath: string,
  policy: ErrorPolicy,
): HttpServer {
  const httpOptions: FastifyHttpOptions<RawServerDefault> = {
    bodyLimit: limits.bodyBytesMax,
    clientErrorHandler: endBrokenConnection,
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOfAll(request));
      void sendProblem(toProblem(error, request, policy.isUnavailable), request, reply);
    },
    genReqId: createRequestIds(),
    http: {
      // Time-outs are noticed when somebody looks.
      connectionsCheckingInterval: Math.ceil(
        Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs) / 3,
      ),
      headersTimeout: limits.headersTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.headerBytesMax,
      requestTimeout: limits.requestTimeoutMs,
    },
    connectionTimeout: limits.silenceTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    // What comes while we close is served: nothing is gained by refusing it.
    return503OnClosing: false,
    ...(basePath === '' ? {} : { rewriteUrl: ({ url = '/' }) => withoutBasePath(basePath, url) }),
    routerOptions: { maxParamLength: limits.paramLengthMax },
    // Starting takes as long as it takes: on a busy machine, longer than any fixed time.
    pluginTimeout: 0,
    schemaController,
  };
  const app = fastify(httpOptions).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = limits.connectionsMax;
  return app;
}

/** First of all hooks: what no route is to see ends here. */
function refuseBroken(app: HttpServer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    if (isBroken(raw.socket)) return void reply.hijack();
    const ambiguity = findAmbiguity(raw);
    if (ambiguity === null) return done();
    markBroken(raw.socket);
    reply.header('connection', 'close');
    done(ambiguity);
  });
}

/** Before the body is looked at. */
function refuseUnknownRoutes(app: HttpServer): void {
  const paths = new KnownPaths();
  app.addHook('onRoute', ({ url, method }) => paths.add(url, method));
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const methods = paths.methodsOf(request.url);
    if (methods.length === 0) return done(new Problem('not_found', 'There is no such route.'));
    const allow = methods.join(', ');
    const detail = `${request.method} is not for this path; use ${allow}.`;
    done(new Problem('method_not_allowed', detail, { headers: { allow } }));
  });
}
