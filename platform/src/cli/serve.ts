import cluster from 'node:cluster';
import { readConfig } from '../config.ts';
import { serveAlone, serveAsWorker, superviseWorkers } from '../service/index.ts';
import { version } from './version.ts';

/** Serves until it is told to stop. */
export async function serve(settings: Readonly<Record<string, string>>): Promise<number> {
  const config = readConfig({ ...process.env, ...settings });
  if (cluster.isWorker) return serveAsWorker(config, version);
  if (config.workers > 1) return superviseWorkers(config);
  return serveAlone(config, version);
}
