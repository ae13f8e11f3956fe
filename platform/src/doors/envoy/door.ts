import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, Metrics } from '../../observe/index.ts';
import type { RateLimitService } from '../../rls/ask.ts';
import { answerCalls } from './answer-call.ts';
import { bounds } from './bounds.ts';
import { Complaints } from './complaints.ts';
import { GrpcServer } from './grpc/grpc-server.ts';
import type { Health } from './health.ts';
import { listen } from './listener.ts';
import { doorRoute, shouldRateLimitPath } from './names.ts';
import { addReflection } from './reflection.ts';
import type { TlsFiles } from './tls-files.ts';

export type EnvoyDoorOptions = {
  readonly address: { readonly host: string; readonly port: number };
  readonly tls: TlsFiles | null;
  readonly reflection: boolean;
  /** After about so long a connection is asked to end, so that new nodes get their share. */
  readonly connectionAgeMs: number;
  readonly connectionsMax: number;
  /** Calls of all connections that are being decided, at most; 10,000 unless said. */
  readonly callsMax?: number;
  /** How long to go on serving once told to stop. */
  readonly graceMs: number;
};

export type EnvoyDoorParts = {
  readonly rateLimits: RateLimitService;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
};

export type EnvoyDoor = {
  readonly port: number;
  readonly drain: {
    readonly isDraining: boolean;
    /** Resolves when everything in flight was answered. Once for all callers. */
    start(): Promise<void>;
    /** Ends what is left, now. */
    hurry(): void;
  };
  /** Ends at once. */
  close(): Promise<void>;
};

/** Streams of one connection that are open at once: what a gateway's thread has under way. */
const streamsMax = 1000;
const finishMs = 10_000;

/** The rate limit service as gateways ask it, with health and reflection beside it. */
export async function openEnvoyDoor(
  options: EnvoyDoorOptions,
  { rateLimits, health, metrics, log }: EnvoyDoorParts,
): Promise<EnvoyDoor> {
  metrics.addRoute(doorRoute);
  const complaints = new Complaints(({ kind, count, error }) =>
    log.logger.warn({ event: 'envoy.failed', kind, count, err: error }),
  );
  const server = new GrpcServer({
    messageBytesMax: bounds.messageBytes,
    streamsMax,
    connectionAgeMs: options.connectionAgeMs,
  });
  server.unary(
    shouldRateLimitPath,
    answerCalls({ rateLimits, metrics, complaints, callsMax: options.callsMax }),
  );
  health.serveOn(server);
  if (options.reflection) await addReflection(server);
  const listener = await listen({
    ...options,
    onConnection: (socket) => server.accept(socket),
    onTlsError: (error) => complaints.add('tls', error),
  });
  const close = () => {
    listener.stop();
    health.close();
    server.destroy();
  };
  return {
    port: listener.port,
    drain: createDrain({
      graceMs: options.graceMs,
      announce: () => health.drain(),
      finish: () => {
        listener.stop();
        health.close();
        return server.drain();
      },
      end: close,
    }),
    close: async () => close(),
  };
}

type DrainSteps = {
  readonly graceMs: number;
  readonly announce: () => void;
  readonly finish: () => Promise<void>;
  readonly end: () => void;
};

/** As the HTTP door goes: says so, serves on for the grace, then finishes within a bounded time. */
function createDrain({ graceMs, announce, finish, end }: DrainSteps): EnvoyDoor['drain'] {
  const hurried = new AbortController();
  let isDraining = false;
  let drained: Promise<void> | null = null;

  async function drain(): Promise<void> {
    isDraining = true;
    announce();
    await sleep(graceMs, undefined, { signal: hurried.signal }).catch(() => undefined);
    const late = setTimeout(end, hurried.signal.aborted ? 0 : finishMs);
    hurried.signal.addEventListener('abort', end, { once: true });
    await finish();
    clearTimeout(late);
  }

  return {
    get isDraining() {
      return isDraining;
    },
    start: () => (drained ??= drain()),
    hurry: () => hurried.abort(),
  };
}
