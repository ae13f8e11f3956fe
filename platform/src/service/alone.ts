import type { Config } from '../config.ts';
import { drainOnSignal } from '../doors/http/drain.ts';
import { startService } from './service.ts';
import { welcome } from './welcome.ts';

/** One process: serves until it is told to stop. */
export async function serveAlone(config: Config, version: string): Promise<number> {
  const service = await startService(config, { version });
  // Before anybody is told that it runs, and may want it to end.
  const ending = drainOnSignal(service.drain);
  process.stdout.write(welcome(service, config));
  const outcome = await ending;
  await service.close();
  return outcome === 'drained' ? 0 : 1;
}
