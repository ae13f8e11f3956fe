/** `ramp`: it answered again, and is asked more and more. */
export type BreakerState = 'closed' | 'open' | 'ramp';

/** What lets a call through; a probe is alone, and what comes of it decides for all. */
export type Pass = 'call' | 'probe';

export type BreakerOptions = {
  readonly onChange?: (state: BreakerState) => void;
  /** Monotonic. */
  readonly nowMs?: () => number;
  readonly random?: () => number;
};

const timeoutsMax = 5;
const windowMs = 1000;
const callsMin = 20;
const failedShareMax = 0.5;
const openMsMin = 250;
const openMsMax = 5000;
const rampMs = 1000;
const rampStart = 0.1;
/** Trouble that returns sooner than this is the same trouble: the next wait is longer. */
const calmMs = 10_000;

/**
 * Stops asking a store that does not answer: asking would take time that nobody has, and keep a store
 * that is coming back from doing so. Now and then one call tries; when it is answered the others
 * follow step by step, for all at once would be the next flood.
 */
export class Breaker {
  readonly #onChange: (state: BreakerState) => void;
  readonly #nowMs: () => number;
  readonly #random: () => number;
  #state: BreakerState = 'closed';
  #timeouts = 0;
  #calls = 0;
  #failures = 0;
  #windowEndMs = 0;
  #openMs = openMsMin;
  /** When the next probe may go, while open; when it answered again, afterwards. */
  #sinceMs = 0;
  #isProbing = false;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor({
    onChange = () => {},
    nowMs = () => performance.now(),
    random = Math.random,
  }: BreakerOptions = {}) {
    this.#onChange = onChange;
    this.#nowMs = nowMs;
    this.#random = random;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** When a call was last answered in time. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /** Null when the call must not go. */
  admit(): Pass | null {
    if (this.#state === 'closed') return 'call';
    const nowMs = this.#nowMs();
    if (this.#state === 'open') {
      if (this.#isProbing || nowMs < this.#sinceMs) return null;
      this.#isProbing = true;
      return 'probe';
    }
    const rampedMs = nowMs - this.#sinceMs;
    if (rampedMs >= rampMs) {
      this.#change('closed');
      return 'call';
    }
    const share = rampStart + (1 - rampStart) * (rampedMs / rampMs);
    return this.#random() < share ? 'call' : null;
  }

  succeeded(pass: Pass, calls = 1): void {
    const nowMs = this.#nowMs();
    this.#answeredAtMs = nowMs;
    if (pass === 'probe') {
      this.#isProbing = false;
      this.#sinceMs = nowMs;
      this.#change('ramp');
    } else if (this.#state !== 'open') {
      this.#timeouts = 0;
      this.#count(nowMs, calls, 0);
    }
  }

  failed(pass: Pass, { isTimeout }: { readonly isTimeout: boolean }): void {
    const nowMs = this.#nowMs();
    if (pass === 'probe') {
      this.#isProbing = false;
      this.#open(nowMs);
      return;
    }
    // What was sent before it opened tells nothing new.
    if (this.#state === 'open') return;
    this.#timeouts = isTimeout ? this.#timeouts + 1 : 0;
    this.#count(nowMs, 1, 1);
    const isFailing = this.#calls >= callsMin && this.#failures >= this.#calls * failedShareMax;
    if (this.#timeouts >= timeoutsMax || isFailing) this.#open(nowMs);
  }

  #count(nowMs: number, calls: number, failures: 0 | 1): void {
    if (nowMs >= this.#windowEndMs) {
      this.#windowEndMs = nowMs + windowMs;
      this.#calls = 0;
      this.#failures = 0;
    }
    this.#calls += calls;
    this.#failures += failures;
  }

  /** Full jitter: nodes that lost the same store must not all try at once. */
  #open(nowMs: number): void {
    if (this.#state === 'closed' && nowMs - this.#sinceMs > calmMs) this.#openMs = openMsMin;
    this.#sinceMs = nowMs + this.#random() * this.#openMs;
    this.#openMs = Math.min(openMsMax, this.#openMs * 2);
    this.#timeouts = 0;
    this.#windowEndMs = 0;
    this.#change('open');
  }

  #change(state: BreakerState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange(state);
  }
}
