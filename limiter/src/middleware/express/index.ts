// `sluice/express`: for Express 4 and 5. `app.use(rateLimit({ limits }))`, or before one handler.

import type { Request, RequestHandler, Response } from 'express';
import {
  Guard,
  limitWith,
  nodeHeader,
  nodeResponse,
  rateLimitOf,
  resultOf,
  type Facts,
  type LimitCall,
  type LimitResult,
  type RateLimit,
  type RateLimitOptions,
  type RefusedOutcome,
} from '../core/index.ts';
import { templateOf } from './template.ts';

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
  const decide = async (req: Request, res: Response): Promise<boolean> => {
    const outcome = await guard.run(factsOf(req, res));
    const decided = rateLimitOf(req);
    if (decided) req.rateLimit = decided;
    if (outcome.kind === 'refuse') refuse(res, outcome);
    return outcome.kind === 'pass';
  };
  // Express 4 looks at no promise: what is wrong is told by `next`.
  return async (req, res, next) => {
    try {
      if (!(await decide(req, res))) return;
    } catch (error) {
      next(error);
      return;
    }
    next();
  };
}

/** A further question, once the handler knows more: `limit(req, { costs: { elements } })`. */
export async function limit(req: Request, call: LimitCall<Request>): Promise<LimitResult<void>> {
  return resultOf(await limitWith(req, call), (outcome) => refuse(req.res as Response, outcome));
}

function refuse(res: Response, { status, headers, body }: RefusedOutcome): void {
  res.status(status).set(headers).end(body);
}

function factsOf(req: Request, res: Response): Facts<Request> {
  return {
    native: req,
    identity: req,
    method: req.method,
    header: (name) => nodeHeader(req, name),
    route: () => templateOf(req),
    peer: () => req.socket.remoteAddress,
    frameworkAddress: () => req.ip,
    response: nodeResponse(res),
  };
}
