import type { CheckEvent, CheckSink } from './check-event.ts';

/** Events are not kept waiting in greater numbers than this. */
const waitingMax = 1000;

/**
 * Tells of checks when the turn of the event loop ends, all of them together: their answers are on
 * the way by then, and one kind of work after another is done faster than all kinds in turn.
 */
export class CheckQueue implements CheckSink {
  readonly #sinks: readonly CheckSink[];
  #waiting: CheckEvent[] = [];

  constructor(...sinks: readonly CheckSink[]) {
    this.#sinks = sinks;
  }

  check(event: CheckEvent): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#tell());
    this.#waiting.push(event);
    if (this.#waiting.length >= waitingMax) this.#tell();
  }

  #tell(): void {
    const events = this.#waiting;
    this.#waiting = [];
    const atMs = Date.now();
    for (const sink of this.#sinks) for (const event of events) sink.check(event, atMs);
  }
}
