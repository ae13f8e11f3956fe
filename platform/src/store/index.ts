export { faultsOfRedis } from './faults-of-redis.ts';
export { openMemoryStore } from './memory-store.ts';
export { poolAddresses } from './pool-address.ts';
export type { PoolSetup } from './pool-store.ts';
export { openPooledStore, type PooledStoreOptions } from './pooled-store.ts';
export { openRedisStore, type RedisStoreOptions } from './redis-store.ts';
export type { Finding } from './start-up-checks.ts';
export type { StoreAlarm } from './store-watch.ts';
export type { PlacedStore, Shelf, Store } from './store.ts';
