export type Job = {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
};

/**
 * Does jobs again and again: each as long after its own end as it says, a little spread so that
 * nodes that started together do not work together. A job that fails is told of and tried again.
 */
export class Repeater {
  readonly #onFailure: (job: string, error: unknown) => void;
  readonly #timers = new Map<Job, NodeJS.Timeout>();
  readonly #running = new Map<Job, Promise<void>>();
  #stopped = false;

  constructor(onFailure: (job: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** The returned function has it done at once, without waiting for its turn. */
  start(job: Job): () => void {
    this.#plan(job);
    return () => {
      clearTimeout(this.#timers.get(job));
      this.#begin(job);
    };
  }

  /** Waits for what is being done, and does no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running.values());
  }

  #plan(job: Job): void {
    if (this.#stopped) return;
    const delayMs = job.everyMs * (0.9 + Math.random() * 0.2);
    this.#timers.set(job, setTimeout(() => this.#begin(job), delayMs).unref());
  }

  #begin(job: Job): void {
    if (this.#stopped || this.#running.has(job)) return;
    const running = this.#do(job).finally(() => {
      this.#running.delete(job);
      this.#plan(job);
    });
    this.#running.set(job, running);
  }

  async #do(job: Job): Promise<void> {
    try {
      await job.run();
    } catch (error) {
      this.#onFailure(job.name, error);
    }
  }
}
