import type { IncomingHttpHeaders } from 'node:http';
import type { LogEvent } from 'kysely';
import type { RedisClient } from 'sluice';
import type { CheckEvent } from './check-event.ts';

/**
 * Traces, or nothing. Whoever is on the path of every check asks `enabled` first: a trace that is
 * not wanted costs that one look. This file loads no part of OpenTelemetry.
 */
export type Tracing = {
  readonly enabled: boolean;
  /** Those of the span that is active here, if any. */
  activeIds(): TraceIds | null;
  startRequest(request: RequestStart): RequestSpan;
  startCheck(): CheckSpan;
  /** The same client, with a span for each call. */
  traceRedis(client: RedisClient, server?: ServerAddress): RedisClient;
  /** Give it to Kysely as its `log`. The span is made when the query has ended. */
  readonly traceQuery: (event: LogEvent) => void;
  /** Sends what is still here, two seconds at most. */
  close(): Promise<void>;
};

export type TraceIds = { readonly traceId: string; readonly spanId: string };

export type RequestStart = {
  readonly method: string;
  /** The route as registered; null when none matched. */
  readonly route: string | null;
  /** As requested; its query is left out. */
  readonly url: string;
  readonly scheme?: 'http' | 'https';
  readonly headers: IncomingHttpHeaders;
};

/** Work that is done inside `run`, and what that starts, belongs to the span. */
type OpenSpan = { run<T>(work: () => T): T };

export type RequestSpan = OpenSpan & {
  readonly ids: TraceIds | null;
  end(statusCode: number): void;
};

export type CheckSpan = OpenSpan & {
  end(facts: CheckFacts): void;
  /** No decision came about. */
  fail(error: unknown): void;
};

export type CheckFacts = Pick<CheckEvent, 'tenant' | 'planId' | 'policy' | 'tier' | 'decision'>;

export type ServerAddress = {
  readonly address: string;
  readonly port: number;
  /** The number of the database. */
  readonly database?: number;
};

export type TracingOptions = {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: the collector; traces go to `/v1/traces` below it. */
  readonly endpoint?: string | undefined;
  /** `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`: where traces go, as it is. Beats the other. */
  readonly tracesEndpoint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The share of requests that are traced, 0 to 1, whatever callers ask for. Default 1. */
  readonly sampleRatio?: number | undefined;
  /** What the traces are of. Default `sluice`. */
  readonly serviceName?: string | undefined;
  readonly version?: string | undefined;
  /** Told when spans could not be sent. */
  readonly onProblem?: ((problem: string) => void) | undefined;
};

const work: OpenSpan = { run: (work) => work() };
const noRequestSpan: RequestSpan = { ...work, ids: null, end: () => {} };
const noCheckSpan: CheckSpan = { ...work, end: () => {}, fail: () => {} };

export const noTracing: Tracing = Object.freeze({
  enabled: false,
  activeIds: () => null,
  startRequest: () => noRequestSpan,
  startCheck: () => noCheckSpan,
  traceRedis: (client: RedisClient) => client,
  traceQuery: () => {},
  close: async () => {},
});

/** Without an endpoint there is nothing to load, and nothing is. */
export async function startTracing(options: TracingOptions | null): Promise<Tracing> {
  const url = options && tracesUrlOf(options);
  if (!url) return noTracing;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(url, options);
}

function tracesUrlOf({ endpoint, tracesEndpoint }: TracingOptions): string | null {
  if (tracesEndpoint) return tracesEndpoint;
  return endpoint ? `${endpoint.replace(/\/+$/, '')}/v1/traces` : null;
}
