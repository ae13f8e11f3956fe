import type { CheckEvent, CheckSink } from './check-event.ts';

/** Events are not kept waiting in greater numbers than this. */
const waitingMax = 1000;

/**
 * Tells of all checks that were answered at once when their answers are on the way: one kind of work
 * after another is done faster than all kinds in turn. Before anything else is read, for who was
 * answered asks again meanwhile.
 */
export class CheckQueue implements CheckSink {
  readonly #sinks: readonly CheckSink[];
  #waiting: CheckEvent[] = [];

  constructor(...sinks: readonly CheckSink[]) {
    this.#sinks = sinks;
  }

  check(event: CheckEvent): void {
    if (this.#waiting.length === 0) process.nextTick(() => this.#tell());
    this.#waiting.push(event);
    if (this.#waiting.length >= waitingMax) this.#tell();
  }

  #tell(): void {
    const events = this.#waiting;
    this.#waiting = [];
    const atMs = Date.now();
    for (const sink of this.#sinks) {
      if (sink.checks) sink.checks(events, atMs);
      else for (const event of events) sink.check(event, atMs);
    }
  }
}
