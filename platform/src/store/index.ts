export { openMemoryStore } from './memory-store.ts';
export { openRedisStore, type RedisStoreOptions } from './redis-store.ts';
export type { Finding } from './start-up-checks.ts';
export type { Shelf, Store } from './store.ts';
