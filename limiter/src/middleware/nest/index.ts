// `sluice/nest`: a module with a guard for every route, on Express and Fastify alike. Decorators say
// what single routes need.

export { byRoute, rateLimitOf, unmatchedResource } from '../core/index.ts';
export type {
  KeyParts,
  RateLimit as RateLimitContext,
  Refusal,
  RouteRules,
} from '../core/index.ts';
export { RateLimit, RateLimitInfo, SkipRateLimit } from './decorators.ts';
export { limit, RateLimitGuard, type NestRateLimitOptions } from './guard.ts';
export { RateLimitModule, type RateLimitAsyncOptions } from './module.ts';
