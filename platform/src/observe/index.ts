export { CheckFan } from './check-fan.ts';
export { CheckQueue } from './check-queue.ts';
export {
  isDegraded,
  outcomeOf,
  outcomes,
  type CheckEvent,
  type CheckSink,
  type Outcome,
} from './check-event.ts';
export {
  answerScrapes,
  ClusterMetrics,
  type Channel,
  type WorkerMetrics,
} from './cluster-metrics.ts';
export type { LogDestination } from './log-lines.ts';
export { createLogger, logLevels, type Log, type LoggerOptions, type LogLevel } from './logger.ts';
export {
  aggregate,
  Metrics,
  metricsContentType,
  type MetricsOptions,
  type MetricsSnapshot,
  type RequestOutcome,
} from './metrics.ts';
export { checkLogs, Observer, type CheckLog, type ObserverOptions } from './observer.ts';
export { redactText, redactUrl } from './redact.ts';
export { RlsMetrics } from './rls-metrics.ts';
export { subjectHashUnder, type SubjectHash } from './subject-hash.ts';
export {
  noTracing,
  startTracing,
  type CheckFacts,
  type CheckSpan,
  type RequestSpan,
  type RequestStart,
  type ServerAddress,
  type TraceIds,
  type Tracing,
  type TracingOptions,
} from './tracing.ts';
