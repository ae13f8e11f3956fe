import type { CheckEvent } from './check-event.ts';

/** Events are not kept waiting in greater numbers than this. */
const waitingMax = 1000;

/**
 * Tells of checks when the turn of the event loop ends, all of them together: their answers are on
 * the way by then, and one kind of work after another is done faster than all kinds in turn.
 */
export class CheckQueue {
  readonly #observer: { check(event: CheckEvent): void };
  #waiting: CheckEvent[] = [];

  constructor(observer: { check(event: CheckEvent): void }) {
    this.#observer = observer;
  }

  check(event: CheckEvent): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#tell());
    this.#waiting.push(event);
    if (this.#waiting.length >= waitingMax) this.#tell();
  }

  #tell(): void {
    const events = this.#waiting;
    this.#waiting = [];
    for (const event of events) this.#observer.check(event);
  }
}
