import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '../core/errors.ts';
import { parseWhole } from '../core/numbers.ts';
import { oneOf, refuseUnknownFields, requireObject } from '../core/parse.ts';
import type { KeptAnswer, ShieldRef, ShieldStore } from '../core/shield-store.ts';
import { keepable, replayOf, type Answered } from './answer.ts';

export type ShieldOptions = {
  /** Where answers are kept; default in process. */
  readonly store?: ShieldStore;
  /** How long an answer is kept. Default a day. */
  readonly keepMs?: number;
  /** How long a handler that died keeps others waiting. It is renewed while it runs. Default 30,000. */
  readonly leaseMs?: number;
  /** Larger answers are not kept. Default 262,144. */
  readonly bytesMax?: number;
  /** A second call while the first one runs: 409 at once, or wait for its answer. Default `refuse`. */
  readonly whenRunning?: 'refuse' | 'wait';
  /** The longest that anybody waits. Default 10,000. */
  readonly waitMsMax?: number;
  /** A store that fails: run unshielded, or refuse with 409. Default `open`. */
  readonly onStoreFailure?: 'open' | 'closed';
};

export type ShieldRules = Required<Omit<ShieldOptions, 'store'>> & { readonly store: ShieldStore };

export type Entered =
  /** The handler is to run, and what it answered to be handed over. */
  | { readonly kind: 'run'; readonly running: Running | null }
  | { readonly kind: 'replay'; readonly answer: Answered }
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unavailable' };

export type Running = {
  /** Keeps a success; anything else is as if it had not run. */
  done(answered: Answered | null): Promise<void>;
};

const runMsMax = 600_000;
const lookEveryMs = 50;

/** Once under a key, whoever asks again: the first success is everybody's answer. */
export class Shield {
  readonly #rules: ShieldRules;

  constructor(rules: ShieldRules) {
    this.#rules = rules;
  }

  async enter(ref: ShieldRef): Promise<Entered> {
    const { store, leaseMs, whenRunning, waitMsMax, onStoreFailure } = this.#rules;
    const token = randomUUID();
    const untilMs = performance.now() + (whenRunning === 'wait' ? waitMsMax : 0);
    try {
      for (;;) {
        const begun = await store.begin(ref, { token, leaseMs });
        if (begun.kind === 'first') return { kind: 'run', running: this.#run(ref, token) };
        if (begun.kind === 'kept') return { kind: 'replay', answer: replayOf(begun.answer) };
        if (begun.kind === 'conflict') return begun;
        if (performance.now() >= untilMs) return { kind: 'busy', retryAfterMs: 1000 };
        await sleep(lookEveryMs);
      }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return onStoreFailure === 'open' ? { kind: 'run', running: null } : { kind: 'unavailable' };
    }
  }

  /** Held for as long as the handler takes, up to ten minutes: then others may try. */
  #run(ref: ShieldRef, token: string): Running {
    const { store, leaseMs, keepMs, bytesMax } = this.#rules;
    const endsMs = performance.now() + runMsMax;
    const timer = setInterval(() => {
      if (performance.now() > endsMs) clearInterval(timer);
      else store.renew(ref, { token, leaseMs }).catch(() => {});
    }, leaseMs / 3);
    timer.unref();
    return {
      done: async (answered) => {
        clearInterval(timer);
        const answer: KeptAnswer | null = answered && keepable(answered, bytesMax);
        if (answer) await store.finish(ref, { token, answer, keepMs });
        else await store.abandon(ref, token);
      },
    };
  }
}

const known = [
  'store',
  'keepMs',
  'leaseMs',
  'bytesMax',
  'whenRunning',
  'waitMsMax',
  'onStoreFailure',
];
const day = 86_400_000;

export function parseShieldOptions(
  options: ShieldOptions,
  storeDefault: () => ShieldStore,
  more: readonly string[] = [],
): ShieldRules {
  requireObject('shield', options);
  refuseUnknownFields('shield', options, [...known, ...more]);
  const whole = (field: keyof ShieldOptions, value: unknown, max: number) =>
    parseWhole(`shield.${field}`, value, { min: 1, max });
  return {
    store: options.store ?? storeDefault(),
    keepMs: whole('keepMs', options.keepMs ?? day, 30 * day),
    leaseMs: whole('leaseMs', options.leaseMs ?? 30_000, runMsMax),
    bytesMax: whole('bytesMax', options.bytesMax ?? 262_144, 16 * 2 ** 20),
    whenRunning: oneOf('shield.whenRunning', options.whenRunning ?? 'refuse', ['refuse', 'wait']),
    waitMsMax: whole('waitMsMax', options.waitMsMax ?? 10_000, 60_000),
    onStoreFailure: oneOf('shield.onStoreFailure', options.onStoreFailure ?? 'open', [
      'open',
      'closed',
    ]),
  };
}
