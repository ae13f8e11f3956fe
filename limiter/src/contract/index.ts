// `sluice/contract`: what travels over our API. Its types, and the way between its spelling
// (snake_case, seconds) and the library's. Knows no transport. Errors name the API's own fields.

export { decisionFromWire } from './decision-from-wire.ts';
export { decisionToJson } from './decision-to-json.ts';
export { decisionToWire } from './decision-to-wire.ts';
export { canonicalLimit, limitFromWire } from './limit-from-wire.ts';
export { limitsFromWire, planFromWire } from './plan-from-wire.ts';
export { numbersOf } from './limit-fields.ts';
export { policyFromWire } from './policy-from-wire.ts';
export { requirePattern, requirePatterns } from './resource-pattern.ts';
export { resolveShare } from './share-of.ts';
export type { WireCheck } from './wire-check.ts';
export type { WireBlockedBy, WireDecision, WireLimitDecision } from './wire-decision.ts';
export type { CanonicalLimit, WireLimit, WireLimitOptions, WireMode } from './wire-limit.ts';
export type { WirePlan, WirePlanInput, WirePolicy, WirePolicyInput } from './wire-plan.ts';
