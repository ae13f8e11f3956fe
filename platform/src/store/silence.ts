import type { Redis } from 'ioredis';

// With the time for the answer, and that of late timers, 1.25 s.
const pingEveryMs = 950;
const answerMsMin = 250;
const greetingMsMin = 500;

/** How often a server that still loads its data is asked again: it must not seem silent meanwhile. */
export const loadingMs = greetingMsMin / 2;

/**
 * Ends sockets on which nothing comes any more: the system would let them stand for a quarter of an
 * hour. Whoever is connected is asked for a sign of life every second, and any reply is one; so a
 * dead socket is found after 1.25 s at the latest, and the client makes another. Where calls are given
 * longer than that to be answered, so is the sign of life.
 */
export function endWhenSilent(redis: Redis, deadlineMs: number): void {
  redis.on('connect', () => new Watch(redis, deadlineMs).greet());
}

/** Of one socket: what becomes of it is no concern of the next. */
class Watch {
  readonly #redis: Redis;
  readonly #stream: Redis['stream'];
  readonly #answerMs: number;
  readonly #greetingMs: number;

  constructor(redis: Redis, deadlineMs: number) {
    this.#redis = redis;
    this.#stream = redis.stream;
    this.#answerMs = Math.max(answerMsMin, deadlineMs);
    this.#greetingMs = Math.max(greetingMsMin, deadlineMs);
  }

  /** A server that takes connections and says nothing. */
  greet(): void {
    this.#expect(this.#greetingMs);
  }

  #ping(): void {
    if (this.#isOver) return;
    if (this.#redis.status !== 'ready') return this.greet();
    // An error is an answer too.
    this.#redis.ping().catch(() => {});
    this.#expect(this.#answerMs);
  }

  /** Counted by what arrived, not by the reply: that may wait behind many others. */
  #expect(withinMs: number): void {
    const before = this.#stream.bytesRead;
    const judge = () => {
      if (this.#isOver) return;
      if (this.#stream.bytesRead === before) {
        this.#stream.destroy(new Error(`Redis said nothing for ${withinMs} ms`));
        return;
      }
      setTimeout(() => this.#ping(), Math.max(0, pingEveryMs - withinMs)).unref();
    };
    // What arrived while this process was busy is read after the timers of the turn, not before.
    setTimeout(() => setImmediate(judge), withinMs).unref();
  }

  get #isOver(): boolean {
    return this.#stream.destroyed || this.#redis.stream !== this.#stream;
  }
}
