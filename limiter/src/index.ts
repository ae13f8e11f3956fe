/**
 * Sluice in your process: make a limiter once, ask it for every call. In process by default, on
 * Redis with a client. A decision is a value, never an exception.
 */
export { createLimiter } from './limiter/create-limiter.ts';
export type {
  EngineLimiterOptions,
  LimiterOptions,
  MemoryLimiterOptions,
  RedisLimiterOptions,
} from './limiter/create-limiter.ts';
export { createShieldStore, type ShieldStoreOptions } from './limiter/create-shield-store.ts';
export {
  concurrency,
  fixedWindow,
  quota,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from './limiter/limits.ts';
export type { Limiter, RealCost, SyncLimiter } from './limiter/limiter.ts';

export type { Check } from './core/check.ts';
export type { Clock } from './core/clock.ts';
export type { Basis, BlockedBy, Decision, LimitDecision, Reason } from './core/decision.ts';
export type { Duration } from './core/duration.ts';
export type { Engine, SettleResult } from './core/engine.ts';
export { CapacityFull, IdempotencyConflict, InvalidInput, StoreFailure } from './core/errors.ts';
export type { LimitInput } from './core/limit-input.ts';
export type { DecisionView, LimiterPort, PortCheck, SettleView } from './core/limiter-port.ts';

export { Deadline } from './engines/guard/deadline.ts';
export type { BreakerState } from './engines/guard/breaker.ts';
export { Guarded, type GuardOptions } from './engines/guard/guarded.ts';
export { LocalShares, type LocalSharesOptions } from './engines/guard/local/local-shares.ts';
export type { Fleet } from './engines/guard/local/node-share.ts';
export { headerProfiles, toHeaders } from './headers/index.ts';
export type { HeaderOptions, HeaderProfile } from './headers/index.ts';

export { MemoryEngine } from './engines/memory/index.ts';
export type { MemoryDump, MemoryEngineOptions } from './engines/memory/index.ts';
export {
  Coalescer,
  fromIoredis,
  RedisEngine,
  slotOfTag,
  withGlobalElsewhere,
} from './engines/redis/index.ts';
export type {
  Allowances,
  IoredisLike,
  RedisClient,
  RedisEngineOptions,
} from './engines/redis/index.ts';
