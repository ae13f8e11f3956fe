import { fromIoredis, RedisShield, type IoredisLike } from '../engines/redis/index.ts';
import { MemoryShield, type ShieldStore } from '../shield/index.ts';

export type ShieldStoreOptions = {
  /** An ioredis client, which stays yours to close; without it answers are kept in process. */
  readonly redis?: IoredisLike | undefined;
  /** Names in Redis are hashed under it. The same in every process. */
  readonly secret?: string | undefined;
};

/** Where a shield keeps answers: in process, or in Redis for all processes together. */
export function createShieldStore({ redis, secret }: ShieldStoreOptions = {}): ShieldStore {
  if (!redis) return new MemoryShield();
  return new RedisShield(fromIoredis(redis), secret === undefined ? {} : { secret });
}
