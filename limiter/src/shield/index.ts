// `sluice/shield`: the first success of a handler under an idempotency key is kept, and is the answer
// to whoever asks again. Knows no framework and no HTTP server: who brings a request says what it is,
// and hands over what was answered. Gateways and middleware share it.

export type {
  FinishedAnswer,
  KeptAnswer,
  Lease,
  ShieldBegun,
  ShieldRef,
  ShieldStore,
} from '../core/shield-store.ts';
export { keepable, type Answered } from './answer.ts';
export { MemoryShield, type MemoryShieldOptions } from './memory-shield.ts';
export { parseShieldOptions, Shield } from './shield.ts';
export type { Entered, Running, ShieldOptions, ShieldRules } from './shield.ts';
