import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { LogEvent } from 'kysely';
import type { RedisClient } from 'sluice';
import { algorithmOf, outcomeOf } from './check-event.ts';
import { redactResource } from './redact.ts';
import type {
  CheckFacts,
  CheckSpan,
  RequestSpan,
  RequestStart,
  ServerAddress,
  TraceIds,
  Tracing,
  TracingOptions,
} from './tracing.ts';

const closeMsMax = 2_000;
const exportMsMax = 10_000;

/** The only file that loads OpenTelemetry; `startTracing` imports it when somebody wants traces. */
export function openTelemetry(url: string, options: TracingOptions): Tracing {
  const { headers, sampleRatio = 1, serviceName = 'sluice', version = '', onProblem } = options;
  // In words of ours: an exporter's own may quote what a collector answered.
  const problem = () => onProblem?.('traces could not be sent');
  const ratio = new TraceIdRatioBasedSampler(sampleRatio);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': `${process.pid}`,
    }),
    // A stranger's sampled flag would let anybody fill the collector: its trace goes on under its
    // id, but whether we keep our part of it is ours to say.
    sampler: new ParentBasedSampler({
      root: ratio,
      remoteParentSampled: ratio,
      remoteParentNotSampled: ratio,
    }),
    spanProcessors: [
      new BatchSpanProcessor(
        reporting(
          new OTLPTraceExporter({ url, ...(headers && { headers }), timeoutMillis: exportMsMax }),
          problem,
        ),
        { exportTimeoutMillis: exportMsMax },
      ),
    ],
  });
  provider.register();
  const tracer = provider.getTracer('sluice', version);
  return {
    enabled: true,
    activeIds: () => idsOf(trace.getActiveSpan()),
    startRequest: (request) => startRequest(tracer, request),
    startCheck: () => startCheck(tracer),
    traceRedis: (client, server) => traceRedis(tracer, client, server),
    traceQuery: (event) => traceQuery(tracer, event),
    close: async () => {
      if (!(await isSettledWithin(provider.shutdown(), closeMsMax))) problem();
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

function reporting(exporter: OTLPTraceExporter, problem: () => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) problem();
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

async function isSettledWithin(work: Promise<unknown>, msMax: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, msMax, false)));
  const settled = work.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, late]);
  clearTimeout(timer);
  return isSettled;
}

function idsOf(span: Span | undefined): TraceIds | null {
  return span ? span.spanContext() : null;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

function startRequest(tracer: Tracer, request: RequestStart): RequestSpan {
  const { method, route, url, scheme = 'http', headers } = request;
  const isKnown = methods.has(method);
  const name = isKnown ? method : 'HTTP';
  const span = tracer.startSpan(
    route === null ? name : `${name} ${route}`,
    {
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': isKnown ? method : '_OTHER',
        ...(!isKnown && { 'http.request.method_original': method.slice(0, 32) }),
        ...(route !== null && { 'http.route': route }),
        'url.path': redactResource(url),
        'url.scheme': scheme,
      },
    },
    propagation.extract(ROOT_CONTEXT, headers),
  );
  return {
    ids: idsOf(span),
    run: runIn(span),
    end: (statusCode) => {
      span.setAttribute('http.response.status_code', statusCode);
      // A refusal is an answer: only what we could not answer is an error of ours.
      if (statusCode >= 500) failed(span, String(statusCode));
      span.end();
    },
  };
}

function startCheck(tracer: Tracer): CheckSpan {
  const span = tracer.startSpan('check');
  return {
    run: runIn(span),
    end: (facts) => {
      if (span.isRecording()) span.setAttributes(checkAttributes(facts));
      span.end();
    },
    fail: (error) => {
      failed(span, kindOf(error));
      span.end();
    },
  };
}

function checkAttributes({ tenant, tier, planId, policy, decision }: CheckFacts): Attributes {
  const { cost, remaining, decisionId, basis, blockedBy, wouldBlock } = decision;
  const algorithm = algorithmOf(decision);
  return {
    'tenant.id': tenant,
    'tenant.tier': tier,
    'ratelimit.outcome': outcomeOf(decision),
    'ratelimit.cost': cost,
    'ratelimit.basis': basis,
    'ratelimit.decision_id': decisionId,
    ...(planId !== null && { 'ratelimit.plan_id': planId }),
    ...(policy !== null && { 'ratelimit.policy': policy }),
    ...(remaining !== null && { 'ratelimit.remaining': remaining }),
    ...(algorithm !== null && { 'ratelimit.algorithm': algorithm }),
    ...(blockedBy && { 'ratelimit.blocked_by': blockedBy.limit ?? blockedBy.reason }),
    ...(wouldBlock.length > 0 && { 'ratelimit.over_limit': [...wouldBlock] }),
  };
}

function traceRedis(tracer: Tracer, client: RedisClient, server?: ServerAddress): RedisClient {
  const common: Attributes = {
    'db.system.name': 'redis',
    ...(server && { 'server.address': server.address, 'server.port': server.port }),
    ...(server?.database !== undefined && { 'db.namespace': String(server.database) }),
  };
  const traced = async (operation: string, script: string, call: () => Promise<unknown>) => {
    const span = tracer.startSpan(`${operation} ${script}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        ...common,
        'db.operation.name': operation,
        'db.stored_procedure.name': script,
      },
    });
    try {
      return await context.with(trace.setSpan(context.active(), span), call);
    } catch (error) {
      const code = redisCodeOf(error);
      if (code) span.setAttribute('db.response.status_code', code);
      failed(span, code ?? kindOf(error));
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    cluster: client.cluster ?? false,
    givesBytes: client.givesBytes,
    serverOf: client.serverOf,
    evalsha: (sha, keys, args, name, ...more) =>
      traced('EVALSHA', name ?? sha, () => client.evalsha(sha, keys, args, name, ...more)),
    eval: (source, keys, args, name, ...more) =>
      traced('EVAL', name ?? 'script', () => client.eval(source, keys, args, name, ...more)),
  };
}

/** Postgres: what was asked of which table, never the values, nor text that may quote them. */
function traceQuery(tracer: Tracer, event: LogEvent): void {
  const endMs = Date.now();
  const { operation, table } = summaryOf(event.query.sql);
  const summary = table ? `${operation} ${table}` : operation;
  const span = tracer.startSpan(summary, {
    kind: SpanKind.CLIENT,
    startTime: endMs - event.queryDurationMillis,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': summary,
      ...(table && { 'db.collection.name': table }),
    },
  });
  if (event.level === 'error') {
    const code = postgresCodeOf(event.error);
    if (code) span.setAttribute('db.response.status_code', code);
    failed(span, code ?? kindOf(event.error));
  }
  span.end(endMs);
}

function summaryOf(sql: string): { readonly operation: string; readonly table: string | null } {
  const start = sql.slice(0, 2_000);
  const [operation = 'QUERY'] = /[a-z]+/i.exec(start) ?? [];
  const [, table = null] = /\b(?:from|into|update)\s+"?(\w+)"?/i.exec(start) ?? [];
  return { operation: operation.toUpperCase(), table };
}

function runIn(span: Span): <T>(work: () => T) => T {
  return (work) => context.with(trace.setSpan(context.active(), span), work);
}

/** Without the error's message: it may quote keys and values. */
function failed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

function redisCodeOf(error: unknown): string | null {
  const message = error instanceof Error ? error.message : '';
  return /^[A-Z]{2,16}(?= |$)/.exec(message)?.[0] ?? null;
}

function postgresCodeOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}
