import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import type { Config } from '../config.ts';
import { drainOnSignal } from '../doors/http/drain.ts';
import { answerScrapes, ClusterMetrics, type WorkerMetrics } from '../observe/index.ts';
import { startService } from './service.ts';
import { welcome } from './welcome.ts';

const againMs = 1000;
const signals = ['SIGTERM', 'SIGINT'] as const;

/** One of several processes that serve on the same port, and count in the same Redis. */
export async function serveAsWorker(config: Config, version: string): Promise<number> {
  let workerMetrics: WorkerMetrics | null = null;
  const service = await startService(config, {
    version,
    metricsText: (metrics) => (workerMetrics ??= answerScrapes(metrics, process)).text(),
  });
  workerMetrics ??= answerScrapes(service.foundation.metrics, process);
  const ending = drainOnSignal(service.drain, { source: orders() });
  process.send?.({ started: welcome(service, config) });
  const outcome = await ending;
  await workerMetrics.close();
  await service.close();
  process.disconnect();
  return outcome === 'drained' ? 0 : 1;
}

/**
 * A signal to the whole group reaches a worker twice: by itself, and by way of the supervisor, who
 * passes on what it got. Only the supervisor's word counts twice; a signal on its own asks to drain.
 */
function orders(): EventEmitter {
  const source = new EventEmitter();
  let signalled = false;
  const first = () => {
    if (!signalled) source.emit(signals[0]);
    signalled = true;
  };
  for (const signal of signals) process.on(signal, first);
  process.on('message', (message: unknown) => {
    const stop = (message as { stop?: unknown } | null)?.stop;
    if (stop === 1) first();
    else if (typeof stop === 'number') source.emit(signals[0]);
  });
  return source;
}

/** Keeps as many workers running as were asked for, and adds up their metrics. */
export async function superviseWorkers({ workers: count }: Config): Promise<number> {
  const metrics = new ClusterMetrics();
  const workers = new Set<Worker>();
  let isStopping = false;
  let isWelcomed = false;
  let orders = 0;
  const stopAll = () => {
    isStopping = true;
    orders += 1;
    for (const worker of workers) {
      // One that is not yet listening, or no longer, ends by the signal or by itself.
      if (worker.isConnected()) worker.send({ stop: orders }, () => {});
      if (orders === 1) worker.process.kill('SIGTERM');
    }
  };

  const start = () => {
    const worker = cluster.fork();
    workers.add(worker);
    metrics.add(worker);
    worker.on('message', (message: unknown) => {
      const started = (message as { started?: unknown } | null)?.started;
      if (typeof started !== 'string' || isWelcomed) return;
      isWelcomed = true;
      process.stdout.write(started);
    });
    worker.on('disconnect', () => metrics.remove(worker));
  };

  return new Promise((resolve) => {
    let worst = 0;
    cluster.on('exit', (worker, code, signal) => {
      workers.delete(worker);
      // A worker that can't even start says why; starting it again would only repeat it.
      if (!isWelcomed && !isStopping) {
        worst = Math.max(worst, code ?? 1, 1);
        stopAll();
      }
      if (isStopping) {
        // Who serves drains on it; who dies of it was still starting, and had nothing to lose.
        const hadNotBegun = signal === 'SIGTERM';
        worst = Math.max(worst, hadNotBegun ? 0 : (code ?? 1));
        if (workers.size === 0) resolve(worst);
        return;
      }
      setTimeout(() => {
        if (!isStopping) start();
      }, againMs);
    });
    for (const signal of signals) {
      process.on(signal, () => {
        stopAll();
        if (workers.size === 0) resolve(worst);
      });
    }
    for (let started = 0; started < count; started += 1) start();
  });
}
