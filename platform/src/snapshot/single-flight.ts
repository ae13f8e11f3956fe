/** One load at a time for each name. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #next = new Map<string, Promise<T>>();

  /** Who comes while one runs shares its result. */
  join(name: string, load: () => Promise<T>): Promise<T> {
    return this.#running.get(name) ?? this.#start(name, load);
  }

  /**
   * A load that begins after this was called, shared by all who wait for it: one that runs already
   * may have looked before the news came that made somebody call.
   */
  anew(name: string, load: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (!running) return this.#start(name, load);
    const waiting = this.#next.get(name);
    if (waiting) return waiting;
    const start = () => {
      this.#next.delete(name);
      return this.#start(name, load);
    };
    const next = running.then(start, start);
    this.#next.set(name, next);
    return next;
  }

  #start(name: string, load: () => Promise<T>): Promise<T> {
    const started = load().finally(() => {
      if (this.#running.get(name) === started) this.#running.delete(name);
    });
    this.#running.set(name, started);
    return started;
  }
}
