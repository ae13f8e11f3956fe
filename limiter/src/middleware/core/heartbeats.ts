import type { Held, LimiterPort } from '../../core/limiter-port.ts';

type Beating = { readonly port: LimiterPort; readonly held: Held };

/** Says for every open call that it is still at it. One timer for all, and none while there are none. */
export class Heartbeats {
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Set<Beating>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number, onError: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** Until it is told to stop. */
  start(port: LimiterPort, held: Held): () => void {
    const beating = { port, held };
    this.#open.add(beating);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#beat(), this.#everyMs);
      this.#timer.unref?.();
    }
    return () => {
      this.#open.delete(beating);
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #beat(): void {
    for (const { port, held } of this.#open) port.heartbeat(held).catch(this.#onError);
  }
}
