import type { FastifyInstance } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';

declare module 'fastify' {
  interface FastifyInstance {
    readonly drainState: DrainState;
  }
}

/** Read on every request: from the moment it is true, every answer ends its connection. */
export type DrainState = { isDraining: boolean };

export type Drain = {
  readonly isDraining: boolean;
  /** Resolves when everything in flight was answered and the server is closed. Once for all callers. */
  start(): Promise<void>;
  /** Ends what is left, now. */
  hurry(): void;
};

export type DrainOptions = {
  /** How long to go on serving after "not ready", until balancers have noticed. */
  readonly graceMs: number;
  /** How long what is in flight may take after that. */
  readonly finishMs?: number;
};

const idleCheckMs = 50;

export function prepareDrain(app: FastifyInstance): void {
  app.decorate('drainState', { isDraining: false });
}

/**
 * Goes without dropping anything: says "not ready" and serves on for the grace, each answer asking
 * its caller to come on another connection; then accepts no more, closes connections as they fall
 * idle, and gives the last requests a bounded time.
 */
export function createDrain(app: FastifyInstance, options: DrainOptions): Drain {
  const { graceMs, finishMs = 10_000 } = options;
  const state = app.drainState;
  const hurried = new AbortController();
  let drained: Promise<void> | null = null;

  async function drain(): Promise<void> {
    state.isDraining = true;
    await sleep(graceMs, undefined, { signal: hurried.signal }).catch(() => undefined);
    const idle = setInterval(() => app.server.closeIdleConnections(), idleCheckMs);
    const late = setTimeout(
      () => app.server.closeAllConnections(),
      hurried.signal.aborted ? 0 : finishMs,
    );
    hurried.signal.addEventListener('abort', () => app.server.closeAllConnections(), {
      once: true,
    });
    try {
      await app.close();
    } finally {
      clearInterval(idle);
      clearTimeout(late);
    }
  }

  return {
    get isDraining() {
      return state.isDraining;
    },
    start: () => (drained ??= drain()),
    hurry: () => hurried.abort(),
  };
}

/** Several servers of one node, as one. */
export function drainTogether(drains: readonly Drain[]): Drain {
  return {
    get isDraining() {
      return drains.some(({ isDraining }) => isDraining);
    },
    start: async () => void (await Promise.all(drains.map((drain) => drain.start()))),
    hurry: () => drains.forEach((drain) => drain.hurry()),
  };
}

/**
 * Drains on the first signal. A second one means now: it ends what is left and resolves at once, so
 * that who waits can exit.
 */
export async function drainOnSignal(
  drain: Drain,
  {
    signals = ['SIGTERM', 'SIGINT'],
    source = process,
  }: {
    readonly signals?: readonly NodeJS.Signals[];
    readonly source?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
  } = {},
): Promise<'drained' | 'hurried'> {
  let onSignal: () => void = () => undefined;
  const outcome = new Promise<'drained' | 'hurried'>((resolve, reject) => {
    onSignal = () => {
      if (!drain.isDraining) return void drain.start().then(() => resolve('drained'), reject);
      drain.hurry();
      resolve('hurried');
    };
  });
  for (const signal of signals) source.on(signal, onSignal);
  try {
    return await outcome;
  } finally {
    for (const signal of signals) source.off(signal, onSignal);
  }
}
