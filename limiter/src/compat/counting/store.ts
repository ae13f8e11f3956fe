import { systemClock, type Clock } from '../../core/clock.ts';
import type { Engine } from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe, parseWhole } from '../../core/numbers.ts';
import { Guarded } from '../../engines/guard/guarded.ts';
import { MemoryEngine } from '../../engines/memory/index.ts';
import {
  Coalescer,
  fromIoredis,
  RedisEngine,
  type IoredisLike,
} from '../../engines/redis/index.ts';
import { warnOfResending } from '../../limiter/resend-warning.ts';

/** Where it is counted, and who decides there. A failure is thrown: both packages say it so. */
export type Store = { readonly engine: Engine; readonly decider: Pick<Engine, 'decide'> };

export type RedisPlace = {
  readonly redis: IoredisLike;
  /** Names in Redis are hashed under it. The same in every process. */
  readonly secret?: string | undefined;
  /** After this long without an answer the store has failed. Default 1000. */
  readonly deadlineMs?: number | undefined;
};

const deadlineMsDefault = 1000;
const countersMax = 1_000_000;

// One for each client, and one in process: what is on one store can be decided in one step.
const redisStores = new WeakMap<object, Map<string, Store>>();
const memoryStores = new WeakMap<Clock, Store>();

export function memoryStore(clock: Clock = systemClock): Store {
  if (typeof clock !== 'function') {
    throw new InvalidInput('clock', `must be a function, got ${describe(clock)}`);
  }
  let store = memoryStores.get(clock);
  if (!store) {
    const engine = new MemoryEngine({ clock, countersMax, countersPerTenantMax: countersMax });
    store = { engine, decider: engine };
    memoryStores.set(clock, store);
  }
  return store;
}

/** `field` is what the client is called among the options. */
export function redisStore(field: string, { redis, secret = '', deadlineMs }: RedisPlace): Store {
  if (typeof redis?.evalsha !== 'function') {
    throw new InvalidInput(field, 'must be an ioredis client, Redis or Cluster');
  }
  if (typeof secret !== 'string') {
    throw new InvalidInput('secret', `must be a string, got ${describe(secret)}`);
  }
  const range = { min: 1, max: 60_000 };
  const patienceMs = parseWhole('deadlineMs', deadlineMs ?? deadlineMsDefault, range);
  const stores = redisStores.get(redis) ?? new Map<string, Store>();
  redisStores.set(redis, stores);
  const name = `${patienceMs} ${secret}`;
  let store = stores.get(name);
  if (!store) {
    warnOfResending(redis);
    const plain = new RedisEngine(fromIoredis(redis), secret === '' ? {} : { secret });
    const engine = new Guarded(plain, { deadlineMs: patienceMs, patienceMs });
    store = { engine, decider: new Coalescer(engine) };
    stores.set(name, store);
  }
  return store;
}
