// `sluice/compat/express-rate-limit`: its options and its headers on our engines, in process or on
// Redis. For moving over; what changes, and the native form, is in docs/moving-over.md.

import type { RequestHandler } from 'express';
import { InvalidInput } from '../../core/errors.ts';
import { describe } from '../../core/numbers.ts';
import { keyText } from '../counting/key-text.ts';
import { memoryStore, redisStore, type Store } from '../counting/store.ts';
import { Windows } from '../counting/windows.ts';
import { passes, timeOf } from './decide.ts';
import type { Options } from './options.ts';
import { resolveOptions } from './resolve-options.ts';

export { ipKeyGenerator } from './address-key.ts';
export type {
  Logger,
  Options,
  RateLimitExceededHandler,
  RateLimitInfo,
  ResolvedOptions,
} from './options.ts';

/** What a key has used, and until when that counts. */
export type ClientRateLimitInfo = { readonly totalHits: number; readonly resetTime: Date };

export type RateLimitRequestHandler = RequestHandler & {
  readonly resetKey: (key: string) => Promise<void>;
  readonly getKey: (key: string) => Promise<ClientRateLimitInfo | undefined>;
};

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

let made = 0;

export function rateLimit(given: Options = {}): RateLimitRequestHandler {
  const options = resolveOptions(given);
  const rules = { definedBy: definedBy(given), windowMs: options.windowMs };
  const windows = new Windows(storeOf(given), rules);
  const ofKey = (key: string) => windows.of(keyText('key', key), 1);
  const middleware: RequestHandler = async (req, res, next) => {
    let isPassed = false;
    try {
      isPassed = await passes({ req, res, next, options, windows });
    } catch (error) {
      // Express 4 looks at no promise: what is wrong is told by `next`.
      next(error);
    }
    if (isPassed) next();
  };
  return Object.assign(middleware, {
    resetKey: async (key: string) => windows.forget(ofKey(key)),
    getKey: async (key: string) => {
      const seen = await windows.look(ofKey(key));
      return seen ? { totalHits: seen.used, resetTime: timeOf(seen) } : undefined;
    },
  });
}

export default rateLimit;

function storeOf({ redis, secret, deadlineMs, clock }: Options): Store {
  if (redis !== undefined) return redisStore('redis', { redis, secret, deadlineMs });
  return memoryStore(clock);
}

/** In process every middleware counts for itself; on Redis, all with one prefix together. */
function definedBy({ redis, prefix = 'rl' }: Options): string {
  if (typeof prefix !== 'string') {
    throw new InvalidInput('prefix', `must be a string, got ${describe(prefix)}`);
  }
  if (redis !== undefined) return `express-rate-limit ${prefix}`;
  made += 1;
  return `express-rate-limit in process ${made}`;
}
