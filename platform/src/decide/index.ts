export { AddressFailures } from './address-failures.ts';
export type { CheckInput } from './check-input.ts';
export { Decider, type Asker, type Checked, type DeciderParts, type Outcome } from './decider.ts';
export { Denied, TooManyFailures, Unauthenticated, UnknownPlan } from './errors.ts';
export { Recorder } from './recorder.ts';
export { Identifier, type Caller, type KeyFailure } from './identify.ts';
export { normalizeResource } from './resource.ts';
export { inspectLimits, type LimitUsage, type UsageReader } from './inspect-limits.ts';
