import type { NextFunction, Request, Response } from 'express';
import type { Clock } from '../../core/clock.ts';
import type { RedisPlace } from '../counting/store.ts';

/** A value, or a function of the request; it may take its time. */
export type ValueFrom<T> = T | ((req: Request, res: Response) => T | Promise<T>);

export type HeadersDraft = 'draft-6' | 'draft-7' | 'draft-8';

/** What `req.rateLimit` says. */
export type RateLimitInfo = {
  readonly limit: number;
  /** Calls in this window, with this one; a refused one is not counted for the next. */
  readonly used: number;
  readonly remaining: number;
  readonly resetTime: Date | undefined;
  readonly key: string;
};

export type Logger = {
  warn(...what: readonly unknown[]): void;
  error(...what: readonly unknown[]): void;
};

export type RateLimitExceededHandler = (
  req: Request,
  res: Response,
  next: NextFunction,
  options: ResolvedOptions,
) => void | Promise<void>;

/** What express-rate-limit calls so, with its defaults. */
export type ResolvedOptions = {
  readonly windowMs: number;
  readonly limit: ValueFrom<number>;
  readonly message: unknown;
  readonly statusCode: number;
  readonly legacyHeaders: boolean;
  readonly standardHeaders: false | HeadersDraft;
  /** The name of the limit in draft-8. */
  readonly identifier: ValueFrom<string>;
  /** Seconds; default: until the window ends. */
  readonly retryAfter: ValueFrom<number | string | undefined>;
  readonly requestPropertyName: string;
  readonly skipFailedRequests: boolean;
  readonly skipSuccessfulRequests: boolean;
  readonly requestWasSuccessful: (req: Request, res: Response) => boolean | Promise<boolean>;
  readonly keyGenerator: (req: Request, res: Response) => string | Promise<string>;
  readonly ipv6Subnet: ValueFrom<number | false>;
  readonly skip: (req: Request, res: Response) => boolean | Promise<boolean>;
  readonly handler: RateLimitExceededHandler;
  readonly passOnStoreError: boolean;
  readonly logger: Logger;
};

export type Options = Partial<Omit<ResolvedOptions, 'standardHeaders'>> & {
  readonly standardHeaders?: boolean | HeadersDraft;
  /** Another word for `limit`. */
  readonly max?: ValueFrom<number>;
  /** Another word for `legacyHeaders`. */
  readonly headers?: boolean;
  /** Accepted and not needed: what is wrong among the options throws when they are given. */
  readonly validate?: boolean | Readonly<Record<string, boolean>>;
  /** Instead of `store`: counted in this Redis for all processes together. It stays yours to close. */
  readonly redis?: RedisPlace['redis'];
  readonly secret?: string;
  readonly deadlineMs?: number;
  /** Tells these counters from those of others on one Redis. Default `rl`. */
  readonly prefix?: string;
  /** Unix microseconds, in process: a fake one makes tests instant. */
  readonly clock?: Clock;
};
