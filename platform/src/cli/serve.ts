import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from '../config.ts';
import { serveAlone, serveAsWorker, superviseWorkers } from '../service/index.ts';
import { version } from './version.ts';

/** Serves until it is told to stop. */
export async function serve(settings: Readonly<Record<string, string>>): Promise<number> {
  const config = readConfig({ ...process.env, ...settings });
  setFlagsFromString(allIsYoung);
  if (cluster.isWorker) return serveAsWorker(config, version);
  if (config.workers > 1) return superviseWorkers(config);
  return serveAlone(config, version);
}

/**
 * What lives through a busy start V8 takes for long-lived, and makes all of its kind among the old
 * from then on. Lists of calls under way were: dead, they kept each call and its answer from being
 * collected until all of the memory was looked through.
 */
const allIsYoung = '--no-allocation-site-pretenuring';
