import type { Redis } from 'ioredis';

const gapMs = 300;
const returnMs = 300;

const paces = new Map<string, ReconnectPace>();

/** The one for all connections of this process to the same address. */
export function reconnectPaceOf(url: string): ReconnectPace {
  const known = paces.get(url);
  if (known) return known;
  const pace = new ReconnectPace(() => paces.delete(url));
  paces.set(url, pace);
  return pace;
}

/**
 * How often a server that is away is tried: less than four times a second, however many connections
 * want it back, and at no moment that other processes choose too. Once one of them stands, the
 * others follow within a moment.
 */
export class ReconnectPace {
  readonly #members = new Set<Redis>();
  readonly #onEmpty: () => void;
  #freeMs = 0;

  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  /** How long the next try has to wait. */
  nextMs(nowMs = performance.now()): number {
    const fromMs = Math.max(nowMs, this.#freeMs);
    this.#freeMs = fromMs + gapMs;
    return fromMs - nowMs + Math.random() * gapMs;
  }

  add(redis: Redis): void {
    this.#members.add(redis);
    redis.on('ready', () => this.#follow());
    redis.on('end', () => this.forget(redis));
  }

  /** One that is closed while it waits for its next try never says that it ended. */
  forget(redis: Redis): void {
    if (this.#members.delete(redis) && this.#members.size === 0) this.#onEmpty();
  }

  #follow(): void {
    this.#freeMs = 0;
    for (const redis of this.#members) {
      if (redis.status !== 'reconnecting') continue;
      const tryNow = () => {
        const isWanted = this.#members.has(redis) && redis.status === 'reconnecting';
        if (isWanted) redis.connect().catch(() => {});
      };
      setTimeout(tryNow, Math.random() * returnMs).unref();
    }
  }
}
