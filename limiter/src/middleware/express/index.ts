// `sluice/express`: for Express 4 and 5. `app.use(rateLimit({ limits }))`, or before one handler.

import type { Request, RequestHandler, Response } from 'express';
import {
  Guard,
  isOwnPromise,
  limitWith,
  rateLimitOf,
  resultOf,
  type LimitCall,
  type LimitResult,
  type Maybe,
  type Outcome,
  type RateLimit,
  type RateLimitOptions,
  type RefusedOutcome,
} from '../core/index.ts';
import { ExpressFacts } from './facts.ts';

export { byRoute, unmatchedResource } from '../core/index.ts';
export type { KeyParts, LimitResult, RateLimit, Refusal, RouteRules } from '../core/index.ts';
export { rateLimitOf };

declare global {
  // The way that Express itself has for what middleware adds to a request.
  // oxlint-disable-next-line typescript/no-namespace
  namespace Express {
    interface Request {
      /** What `rateLimit` decided; absent where it did not. */
      rateLimit?: RateLimit;
    }
  }
}

export type ExpressRateLimitOptions = RateLimitOptions<Request>;

/** Limits calls. Mount it after authentication, where users are counted. */
export function rateLimit(options: ExpressRateLimitOptions): RequestHandler {
  const guard = new Guard(options);
  return (req, res, next) => {
    const conclude = (outcome: Outcome): void => {
      const decided = rateLimitOf(req);
      if (decided) req.rateLimit = decided;
      if (outcome.kind === 'refuse') refuse(res, outcome);
      if (outcome.kind === 'pass') next();
    };
    let outcome: Maybe<Outcome>;
    try {
      outcome = guard.run(new ExpressFacts(req, res));
    } catch (error) {
      return next(error);
    }
    // Express 4 looks at no promise: what is wrong is told by `next`.
    return isOwnPromise(outcome) ? outcome.then(conclude, next) : conclude(outcome);
  };
}

/** A further question, once the handler knows more: `limit(req, { costs: { elements } })`. */
export async function limit(req: Request, call: LimitCall<Request>): Promise<LimitResult<void>> {
  return resultOf(await limitWith(req, call), (outcome) => refuse(req.res as Response, outcome));
}

function refuse(res: Response, { status, headers, body }: RefusedOutcome): void {
  res.status(status).set(headers).end(body);
}
