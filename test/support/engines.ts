import { randomUUID } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { inject } from 'vitest';
import type { Engine } from '../../limiter/src/core/engine.ts';
import { MemoryEngine, type MemoryEngineOptions } from '../../limiter/src/engines/memory/index.ts';
import {
  fromIoredis,
  RedisEngine,
  type RedisEngineOptions,
} from '../../limiter/src/engines/redis/index.ts';
import { openScripts } from '../../limiter/src/engines/redis/scripts.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import { FakeClock, luaWithFakeClock, tellingTime } from './fake-clock.ts';

/** An engine on a clock that the test moves, alone with its keys. */
export type OpenEngine = {
  readonly engine: Engine;
  readonly clock: FakeClock;
  /** Absent in process. */
  readonly redis?: Redis | Cluster;
  readonly close: () => Promise<void>;
};

export type OpenOptions = {
  readonly memory?: Omit<MemoryEngineOptions, 'clock'>;
  readonly redis?: Pick<RedisEngineOptions, 'allowances' | 'secret'>;
};

export type EngineKind = 'memory' | 'redis' | 'redis cluster';

export const engineKinds: readonly EngineKind[] = ['memory', 'redis', 'redis cluster'];

const fakeClockScripts = openScripts(luaWithFakeClock);

export async function openEngine(kind: EngineKind, options: OpenOptions = {}): Promise<OpenEngine> {
  const clock = new FakeClock();
  if (kind === 'memory') {
    const engine = new MemoryEngine({ ...options.memory, clock: clock.read });
    return { engine, clock, close: () => engine.close() };
  }
  const redis =
    kind === 'redis' ? openRedis(inject('redisUrl')) : openCluster(inject('redisClusterNodes'));
  const engine = new RedisEngine(tellingTime(fromIoredis(redis), clock), {
    ...options.redis,
    prefix: `test-${randomUUID()}`,
    clock: clock.read,
    scripts: fakeClockScripts,
  });
  return {
    engine,
    clock,
    redis,
    close: async () => {
      redis.disconnect();
    },
  };
}
