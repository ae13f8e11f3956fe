import { Decision } from '../../core/decision.ts';
import type { DecisionView, Held, LimiterPort } from '../../core/limiter-port.ts';
import { Lone } from '../../core/lone.ts';
import type { HeaderOptions } from '../../headers/index.ts';
import type { Asked } from './asking.ts';
import type { Told } from './merged-headers.ts';

/** One question about a request, its answer, and what is to be done about it in the end. */
export class Entry<Native> implements Told {
  // Declared and not defined: a definition would write each field twice.
  declare readonly rules: Asked<Native>['rules'];
  declare readonly mode: Asked<Native>['mode'];
  declare readonly port: LimiterPort;
  declare readonly tenant: string | undefined;
  /** The decision, or what it would rest on: most are never looked at. */
  #made: DecisionView | Lone;
  /** Null: the caller is not told. */
  headers: HeaderOptions | null = null;
  /** Ends the signs of life of what is held. */
  stop: (() => void) | null = null;
  isSettled = false;

  constructor(
    { rules, mode }: Pick<Asked<Native>, 'rules' | 'mode'>,
    port: LimiterPort,
    made: DecisionView | Lone,
    tenant: string | undefined,
  ) {
    this.rules = rules;
    this.mode = mode;
    this.port = port;
    this.tenant = tenant;
    this.#made = made;
  }

  get allowed(): boolean {
    return this.#made.allowed;
  }

  get decision(): DecisionView {
    const made = this.#made;
    return made instanceof Lone ? (this.#made = new Decision(made)) : made;
  }

  /** Let in by its one limit, without a decision so far. */
  get passedBy(): Lone | null {
    const made = this.#made;
    return made instanceof Lone && made.fits && made.limit.enforced ? made : null;
  }

  /** False: an earlier call has what is held, and gives it back. */
  get isOurs(): boolean {
    return !this.decision.replayed;
  }

  /** What is held until the response has ended; null: nothing of ours. */
  get held(): Held | null {
    const made = this.#made;
    if (made instanceof Lone || made.replayed) return null;
    const { ticket, reservation } = made;
    const named = this.tenant === undefined ? {} : { tenant: this.tenant };
    if (ticket !== null) return { ticket, ...named };
    return reservation && { reservationId: reservation.id, ...named };
  }
}
