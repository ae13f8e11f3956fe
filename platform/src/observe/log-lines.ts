/** Where lines end up. May throw: nobody who logs will hear of it. */
export type LogDestination = { write(text: string): unknown };

/** What a pipe takes at once. */
const batchLengthMax = 65_536;
const waitMsMax = 50;

/**
 * Gathers lines and hands them on together: a write takes the destination tens of microseconds
 * however short it is, for another thread does it. A line waits 50 ms at most. What can't be handed on is dropped and counted,
 * never thrown back at who logs.
 */
export class LogLines {
  readonly #destination: LogDestination;
  readonly #onDrop: (lines: number) => void;
  #pending = '';
  #lines = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(destination: LogDestination, onDrop: (lines: number) => void) {
    this.#destination = destination;
    this.#onDrop = onDrop;
  }

  /** One line with its end. */
  write(line: string): void {
    this.#pending += line;
    this.#lines++;
    if (this.#pending.length >= batchLengthMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitMsMax).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const text = this.#pending;
    const lines = this.#lines;
    this.#timer = null;
    this.#pending = '';
    this.#lines = 0;
    if (lines === 0) return;
    try {
      this.#destination.write(text);
    } catch {
      this.#onDrop(lines);
    }
  }
}
