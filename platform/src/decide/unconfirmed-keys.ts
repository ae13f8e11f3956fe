import type { Confirmations } from '../snapshot/confirmations.ts';
import type { Caller } from './identify.ts';

export type UnconfirmedKeysParts = {
  readonly confirmations: Pick<
    Confirmations,
    'areFresh' | 'isWitness' | 'answered' | 'toldByUs' | 'ageMs'
  >;
  /** A key that nothing confirmed for longer is unconfirmed. */
  readonly maxAgeMs: number;
  /** What then becomes of its checks. */
  readonly policy: 'accept' | 'refuse';
  readonly onCheck: (outcome: 'accepted' | 'refused') => void;
  /** With the first such check; and, with their number, when keys are confirmed again. */
  readonly onBegin: () => void;
  readonly onEnd: (checks: number) => void;
};

/** Why a check was refused whose key might have been revoked long ago. */
export const unconfirmedKey = 'unconfirmed_key';

/**
 * What becomes of checks while neither the database nor the tenant's store can say whether the key
 * still stands.
 */
export class UnconfirmedKeys {
  readonly #parts: UnconfirmedKeysParts;
  #checks = 0;

  constructor(parts: UnconfirmedKeysParts) {
    this.#parts = parts;
  }

  /** Whether not even to ask the store, for its answer would confirm nothing, and would charge. */
  refusesUnasked(caller: Caller): boolean {
    const { policy, confirmations } = this.#parts;
    if (policy === 'accept' || confirmations.areFresh) return false;
    return !this.#isWitnessed(caller) && this.#isOver(caller);
  }

  /** Whether the check is to be decided, by the store's answer or without one. */
  admits(caller: Caller, isAnswered: boolean): boolean {
    const { confirmations, policy, onCheck, onBegin } = this.#parts;
    if (confirmations.areFresh) return true;
    if (isAnswered && this.#isWitnessed(caller)) {
      confirmations.answered(caller.snapshot);
      return true;
    }
    if (!this.#isOver(caller)) return true;
    if (this.#checks === 0) onBegin();
    this.#checks += 1;
    // What was charged meanwhile was still confirmed when it was asked.
    const isAdmitted = isAnswered || policy === 'accept';
    onCheck(isAdmitted ? 'accepted' : 'refused');
    return isAdmitted;
  }

  /** The store forgot, and was told by us. */
  toldByUs({ snapshot }: Caller): void {
    this.#parts.confirmations.toldByUs(snapshot);
  }

  /** The database answers again. */
  databaseHeard(): void {
    if (this.#checks === 0) return;
    this.#parts.onEnd(this.#checks);
    this.#checks = 0;
  }

  #isOver({ snapshot }: Caller): boolean {
    return this.#parts.confirmations.ageMs(snapshot) > this.#parts.maxAgeMs;
  }

  /** A key that could not be read anew is older than what the store compares. */
  #isWitnessed({ key, snapshot }: Caller): boolean {
    return key.epoch >= snapshot.epoch.tenant && this.#parts.confirmations.isWitness(snapshot);
  }
}
