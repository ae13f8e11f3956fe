import type { FastifyRequest } from 'fastify';
import { StoreFailure } from 'sluice/core';
import { Denied, TooManyFailures, Unauthenticated, UnknownPlan } from '../../../decide/index.ts';
import { toProblem } from '../errors.ts';
import { Problem } from '../problem.ts';

/** What a caller did wrong, in the words of this door. Anything else stays what it is. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Unauthenticated) {
    return new Problem('unauthenticated', 'The key is missing, unknown, revoked or expired.');
  }
  if (error instanceof TooManyFailures) {
    const seconds = Math.ceil(error.retryAfterMs / 1000);
    return new Problem('too_many_failures', `Try again in ${seconds} s, with a key that exists.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }
  if (error instanceof Denied) return new Problem(error.code, error.message);
  if (error instanceof StoreFailure) {
    return new Problem('unavailable', 'The store does not answer right now; ask again shortly.');
  }
  if (error instanceof UnknownPlan) return new Problem('not_found', error.message);
  return error;
}

/** One of many checks that could not be decided: the others count. */
export function itemProblem(error: unknown, request: FastifyRequest): Problem {
  return toProblem(asProblem(error), request, () => false);
}
