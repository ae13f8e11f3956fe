export { RedisEngine, type RedisEngineOptions } from './redis-engine.ts';
export { Coalescer } from './coalesce.ts';
export { fromIoredis, withGlobalElsewhere, type IoredisLike, type RedisClient } from './client.ts';
export type { Allowances } from './slot-call.ts';
export { slotOfTag } from './hash-slot.ts';
export { RedisShield, type RedisShieldOptions } from './shield.ts';
