import { createLimiter, MemoryEngine, type LimitInput, type Limiter } from 'sluice';
import { openRedis } from '../servers/connect.ts';
import { startRedis } from '../servers/redis.ts';
import { dumpOf } from '../support/store.ts';

/** A limiter with a way to see everything that it keeps. */
export type Place = {
  readonly name: 'memory' | 'redis';
  limiter(limits: readonly LimitInput[]): Limiter;
  /** Equal before and after, when nothing was counted. */
  state(): Promise<string>;
  close(): Promise<void>;
};

export async function openPlace(name: Place['name']): Promise<Place> {
  return name === 'memory' ? openMemory() : openOwnRedis();
}

function openMemory(): Place {
  // Each limiter its own engine, for the engine knows what the limiter asked.
  const engine = new MemoryEngine();
  return {
    name: 'memory',
    limiter: (limits) => createLimiter({ engine, limits, deadlineMs: 30_000 }),
    state: async () => JSON.stringify(engine.dump()),
    close: () => engine.close(),
  };
}

async function openOwnRedis(): Promise<Place> {
  const server = await startRedis();
  const redis = openRedis(server.url);
  return {
    name: 'redis',
    limiter: (limits) => createLimiter({ redis, limits, deadlineMs: 30_000, secret: 'a secret' }),
    state: async () =>
      JSON.stringify(Object.fromEntries(await dumpOf(redis, '')), undefined, 1)
        .split('\n')
        .toSorted()
        .join('\n'),
    close: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}
