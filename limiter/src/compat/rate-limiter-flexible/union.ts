import { limitsPerQuestionMax } from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe } from '../../core/numbers.ts';
import { take, type Seen } from '../counting/windows.ts';
import { RateLimiter } from './limiter.ts';
import { parsePoints, type Key } from './options.ts';
import { resOf, type RateLimiterRes } from './res.ts';

/** By the `keyPrefix` of each limiter. */
export type UnionRes = Readonly<Record<string, RateLimiterRes>>;

/** Several limiters asked as one: all are charged, or none is. */
export class RateLimiterUnion {
  readonly #limiters: readonly RateLimiter[];

  constructor(...limiters: readonly RateLimiter[]) {
    this.#limiters = limiters;
    const [first] = limiters;
    const isFew = limiters.length >= 1 && limiters.length <= limitsPerQuestionMax;
    if (!isFew) throw new InvalidInput('limiters', `must be 1 to ${limitsPerQuestionMax}`);
    limiters.forEach((limiter, at) => requireMember(`limiters[${at}]`, limiter));
    if (limiters.some(({ windows }) => windows.store !== first?.windows.store)) {
      const problem = 'must count in one place to be decided in one step: one client, one secret';
      throw new InvalidInput('limiters', problem);
    }
    if (new Set(limiters.map(({ keyPrefix }) => keyPrefix)).size < limiters.length) {
      throw new InvalidInput('limiters', 'must each have a keyPrefix, by which answers are told');
    }
  }

  /** Rejects with what those say that refused. */
  async consume(key: Key, points = 1): Promise<UnionRes> {
    const cost = parsePoints('points', points);
    const asked = this.#limiters.map((limiter) => ({ limiter, bound: limiter.bind(key, cost) }));
    const store = (this.#limiters[0] as RateLimiter).windows.store;
    const { allowed, seen } = await take(
      store,
      asked.map(({ bound }) => bound),
    );
    const told = asked.map((one, at) => ({ ...one, seen: seen[at] as Seen }));
    const shown = allowed ? told : told.filter((one) => one.seen.verdict !== 'ok');
    const asking = allowed ? { taken: cost } : { refused: cost };
    const res = Object.fromEntries(
      shown.map(({ limiter, seen }) => [limiter.keyPrefix, resOf(seen, limiter.points, asking)]),
    );
    if (allowed) return res;
    await Promise.all(shown.map((one) => one.limiter.markRefusal(one.bound, one.seen)));
    // What callers of the package catch: refusals that are no Error.
    // oxlint-disable-next-line typescript/only-throw-error
    throw res;
  }
}

function requireMember(field: string, limiter: unknown): void {
  if (!(limiter instanceof RateLimiter)) {
    throw new InvalidInput(field, `must be a limiter of this module, got ${describe(limiter)}`);
  }
  if (!limiter.insuranceLimiter) return;
  throw new InvalidInput(
    field,
    'has an insuranceLimiter, which decides alone; leave it out, and catch the failure of consume',
  );
}
