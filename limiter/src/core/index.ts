// `sluice/core`: the words and the arithmetic, for who builds a service or an engine on them.

export { takeSlot, type ConcurrencyState } from './algorithms/concurrency.ts';
export { blockedUntilUs, strike, type PenaltyState } from './algorithms/penalty.ts';
export type { SlidingWindowCounterState } from './algorithms/sliding-window-counter.ts';
export type { TokenBucketState } from './algorithms/token-bucket.ts';
export { parseTimezone, periodAt, type PeriodBounds } from './calendar/index.ts';
export * from './check.ts';
export * from './clock.ts';
export * from './decision.ts';
export * from './engine.ts';
export * from './errors.ts';
export { KnownTenant } from './known-tenant.ts';
export { levelOf, type Level } from './level.ts';
export type { LimitInput } from './limit-input.ts';
export type * from './limiter-port.ts';
export type { Limit, Mode, PerPart } from './limit.ts';
export { allowedBy, inWords } from './message.ts';
export { parseMode } from './mode.ts';
export { parseLimit, type LimitContext } from './parse-limit.ts';
export { oneOf, parseName, parseText, refuseUnknownFields, requireObject } from './parse.ts';
export { parseWhole } from './numbers.ts';
export { CheckQuestion } from './question.ts';
export { inOnePiece } from './in-one-piece.ts';
export { RecentMap } from './recent-map.ts';
export { RecentPairs } from './recent-pairs.ts';
export { refusedUnasked } from './refused-unasked.ts';
export { view, type LimitView } from './view.ts';
export { whenStoreFails } from './when-store-fails.ts';
