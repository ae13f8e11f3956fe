import type { BoundLimit } from '../../core/engine.ts';
import { StoreFailure } from '../../core/errors.ts';
import { nextQuestionNumber, questionId } from '../../core/question-id.ts';
import { keyText } from '../counting/key-text.ts';
import type { Store } from '../counting/store.ts';
import { take, Windows, type Seen } from '../counting/windows.ts';
import {
  parsePoints,
  parseSeconds,
  requireNoCustomDuration,
  type Key,
  type Numbers,
  type RateLimiterLike,
} from './options.ts';
import { insured } from './insured.ts';
import { RateLimiterRes, resOf } from './res.ts';

export type LimiterParts = {
  readonly store: Store;
  readonly numbers: Numbers;
  readonly definedBy: string;
  readonly insurance?: RateLimiterLike | undefined;
};

/** The verbs of rate-limiter-flexible on windows of ours. */
export class RateLimiter implements RateLimiterLike {
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
  readonly blockDuration: number;
  readonly keyPrefix: string;
  readonly insuranceLimiter: RateLimiterLike | undefined;
  /** For a union, which asks several at once. */
  readonly windows: Windows;

  constructor({ store, numbers, definedBy, insurance }: LimiterParts) {
    const { points, durationMs, blockDurationMs, keyPrefix } = numbers;
    this.points = points;
    this.duration = durationMs / 1000;
    this.blockDuration = blockDurationMs / 1000;
    this.keyPrefix = keyPrefix;
    this.insuranceLimiter = insurance;
    const rules = { definedBy, windowMs: durationMs, blockForMs: blockDurationMs };
    this.windows = new Windows(store, rules);
  }

  /** Rejects with a `RateLimiterRes` when there is less than that; nothing is charged then. */
  async consume(key: Key, points = 1, options: object = {}): Promise<RateLimiterRes> {
    requireNoCustomDuration(options);
    const bound = this.bind(key, parsePoints('pointsToConsume', points));
    const ask = async () => {
      const { allowed, seen } = await take(this.windows.store, [bound]);
      if (!allowed) await this.markRefusal(bound, seen[0] as Seen);
      const asked = allowed ? { taken: bound.cost } : { refused: bound.cost };
      return { allowed, res: resOf(seen[0] as Seen, this.points, asked) };
    };
    const asked = await insured(this, ask, async (insurance) => ({
      allowed: true,
      res: await insurance.consume(key, points),
    }));
    if (asked.allowed) return asked.res;
    // What callers of the package catch: a refusal that is no Error.
    // oxlint-disable-next-line typescript/only-throw-error
    throw asked.res;
  }

  /** Takes points whether or not they are there, up to twice of what there is. */
  async penalty(key: Key, points = 1, options: object = {}): Promise<RateLimiterRes> {
    requireNoCustomDuration(options);
    const bound = this.bind(key, parsePoints('points', points));
    const add = async () => {
      await this.windows.add(bound);
      return this.#res(bound, { taken: bound.cost });
    };
    return insured(this, add, (insurance) => insurance.penalty(key, points));
  }

  /** Gives points back, never more than were taken. */
  async reward(key: Key, points = 1, options: object = {}): Promise<RateLimiterRes> {
    requireNoCustomDuration(options);
    const bound = this.bind(key, parsePoints('points', points));
    const giveBack = async () => {
      const seen = await this.windows.look(bound);
      const id = questionId(nextQuestionNumber());
      if (seen) await this.windows.giveBack(bound, { id, atUs: seen.nowUs });
      return this.#res(bound);
    };
    return insured(this, giveBack, (insurance) => insurance.reward(key, points));
  }

  /** Null when the key has used nothing. */
  async get(key: Key): Promise<RateLimiterRes | null> {
    const bound = this.bind(key, 0);
    const look = async () => {
      const seen = await this.windows.look(bound);
      return seen && resOf(seen, this.points);
    };
    return insured(this, look, (insurance) => insurance.get(key));
  }

  /** So many points are used, for so many seconds: at most `duration`. */
  async set(key: Key, points: number, secDuration?: number): Promise<RateLimiterRes> {
    const used = parsePoints('points', points);
    const seconds = secDuration !== undefined && secDuration >= 0 ? secDuration : this.duration;
    const windowMs = parseSeconds('secDuration', seconds, this.duration);
    const bound = this.bind(key, 0);
    const set = async () => {
      await this.windows.set(bound, used, windowMs);
      return new RateLimiterRes(Math.max(this.points - used, 0), windowMs, used);
    };
    return insured(this, set, (insurance) => insurance.set(key, points, seconds));
  }

  /** Refuses a key for so many seconds; then it starts afresh. */
  async block(key: Key, secDuration: number): Promise<RateLimiterRes> {
    const blockForMs = parseSeconds('secDuration', secDuration);
    const bound = this.bind(key, 0);
    const block = async () => {
      await this.windows.block(bound, blockForMs);
      return new RateLimiterRes(0, blockForMs, this.points + 1);
    };
    return insured(this, block, (insurance) => insurance.block(key, secDuration));
  }

  /** Forgets what a key used, and its block. False when there was nothing. */
  async delete(key: Key): Promise<boolean> {
    const bound = this.bind(key, 0);
    const forget = async () => {
      const seen = await this.windows.look(bound);
      await this.windows.forget(bound);
      return seen !== null;
    };
    return insured(this, forget, (insurance) => insurance.delete(key));
  }

  bind(key: Key, cost: number): BoundLimit {
    return this.windows.of(keyText('key', key), this.points, cost);
  }

  /**
   * Who was refused when nothing was left is seen to have used more than there is, once: callers
   * look for `consumedPoints > points` before they do what must not be tried too often.
   */
  async markRefusal(bound: BoundLimit, { used, verdict }: Seen): Promise<void> {
    const isOut = verdict === 'exceeded' || verdict === 'impossible';
    if (this.blockDuration > 0 || !isOut || used !== this.points) return;
    await this.windows.add({ ...bound, cost: 1 }).catch(unlessStoreFailed);
  }

  async #res(bound: BoundLimit, asked = {}): Promise<RateLimiterRes> {
    const seen = await this.windows.look(bound);
    return seen ? resOf(seen, this.points, asked) : new RateLimiterRes(this.points);
  }
}

/** The call is refused in any case: what could not be marked changes nothing in that. */
function unlessStoreFailed(error: unknown): void {
  if (!(error instanceof StoreFailure)) throw error;
}
