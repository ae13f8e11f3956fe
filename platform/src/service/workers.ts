import cluster, { type Worker } from 'node:cluster';
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
  process.send?.({ started: welcome(service) });
  const outcome = await drainOnSignal(service.drain);
  await workerMetrics.close();
  await service.close();
  process.disconnect();
  return outcome === 'drained' ? 0 : 1;
}

/** Keeps as many workers running as were asked for, and adds up their metrics. */
export async function superviseWorkers({ workers: count }: Config): Promise<number> {
  const metrics = new ClusterMetrics();
  const workers = new Set<Worker>();
  let isStopping = false;
  let isWelcomed = false;

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
    cluster.on('exit', (worker, code) => {
      workers.delete(worker);
      // A worker that can't even start says why; starting it again would only repeat it.
      if (!isWelcomed && !isStopping) {
        isStopping = true;
        worst = Math.max(worst, code ?? 1, 1);
        for (const other of workers) other.process.kill('SIGTERM');
      }
      if (isStopping) {
        worst = Math.max(worst, code ?? 1);
        if (workers.size === 0) resolve(worst);
        return;
      }
      setTimeout(() => {
        if (!isStopping) start();
      }, againMs);
    });
    for (const signal of signals) {
      process.on(signal, () => {
        isStopping = true;
        for (const worker of workers) worker.process.kill(signal);
        if (workers.size === 0) resolve(worst);
      });
    }
    for (let started = 0; started < count; started += 1) start();
  });
}
