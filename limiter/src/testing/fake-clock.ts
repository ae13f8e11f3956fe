import type { Clock } from '../core/clock.ts';
import { parseDurationUs, type Duration } from '../core/duration.ts';

/** A time of day that tests move by hand; begins at noon of 15 January 2026. */
export class FakeClock {
  #nowUs: number;

  constructor(start: Date = new Date(Date.UTC(2026, 0, 15, 12))) {
    this.#nowUs = start.getTime() * 1000;
  }

  /** Unix microseconds: what `clock` of a limiter or of `rateLimit` takes. */
  readonly clock: Clock = () => this.#nowUs;

  get now(): Date {
    return new Date(this.#nowUs / 1000);
  }

  /** `advance('10 s')`, or milliseconds, such as a decision's `retryAfterMs`. */
  advance(duration: Duration): void {
    this.#nowUs += parseDurationUs(duration, 'duration');
  }
}
