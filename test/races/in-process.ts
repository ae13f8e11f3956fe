import type { Engine } from '../../limiter/src/core/engine.ts';
import { prepareJob, type Job, type JobResult } from './jobs.ts';
import { randomOf } from './random.ts';
import { processCount } from './running.ts';

/** In memory the callers are of one process: as many as there are processes elsewhere. */
export function runInProcess<J extends Job>(engine: Engine, job: J): Promise<JobResult<J>[]> {
  const callers = Array.from({ length: processCount }, (_, seed) =>
    prepareJob(job, { engine, random: randomOf(seed + 1), seed }),
  );
  return Promise.all(callers.map((race) => race() as Promise<JobResult<J>>));
}
