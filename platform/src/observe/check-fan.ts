import type { CheckEvent, CheckSink } from './check-event.ts';

/** Tells several of each check, at once. */
export class CheckFan implements CheckSink {
  readonly #sinks: readonly CheckSink[];

  constructor(...sinks: readonly CheckSink[]) {
    this.#sinks = sinks;
  }

  check(event: CheckEvent, atMs: number = Date.now()): void {
    for (const sink of this.#sinks) sink.check(event, atMs);
  }
}
