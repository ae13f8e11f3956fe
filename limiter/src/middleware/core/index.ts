// What all adapters share: from what is known of a request to what becomes of it. Knows no framework.
// One guard for each `rateLimit(options)`; one visit for each request, however many guards it passes.

export { passed } from './facts.ts';
export type {
  Answered,
  Facts,
  Outcome,
  RefusedOutcome,
  ResponseEnd,
  ResponseFacts,
} from './facts.ts';
export { FetchResponse } from './fetch-response.ts';
export { Guard } from './guard.ts';
export { isOwnPromise, type Maybe } from './maybe.ts';
export { captureNode } from './node-capture.ts';
export { nodeHeader, nodeResponse, onNodeEnd } from './node-response.ts';
export { limitWith, rateLimitOf, resultOf, type LimitResult } from './programmatic.ts';
export { byRoute, unmatchedResource } from './options.ts';
export type {
  Ended,
  From,
  KeyParts,
  LimitSource,
  ModeWord,
  OnMissing,
  PartValue,
  RateLimitOptions,
  Refusal,
  ReserveRule,
  RouteRules,
} from './options.ts';
export { Visit, type Limited, type LimitCall, type RateLimit } from './visit.ts';
