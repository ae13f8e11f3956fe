import { InvalidInput } from '../../core/errors.ts';
import type { DecisionView } from '../../core/limiter-port.ts';
import type { RefusedOutcome } from './facts.ts';
import { Visit, type Limited, type LimitCall, type RateLimit } from './visit.ts';

/** What was decided about a request so far; undefined where nothing was. */
export function rateLimitOf(request: object): RateLimit | undefined {
  return Visit.of(request)?.rateLimit;
}

/** What a handler is told. `refuse` answers as the middleware would have. */
export type LimitResult<Refused> =
  | { readonly allowed: true; readonly decision: DecisionView | null }
  | { readonly allowed: false; readonly decision: DecisionView; readonly refuse: () => Refused };

/** The result in the words of one framework. */
export function resultOf<Refused>(
  { outcome, decision }: Limited,
  refuse: (refusal: RefusedOutcome) => Refused,
): LimitResult<Refused> {
  if (outcome.kind !== 'refuse' || decision === null) return { allowed: true, decision };
  return { allowed: false, decision, refuse: () => refuse(outcome) };
}

/** A further question about a request that passed the middleware, answered the same way. */
export function limitWith<Native>(request: object, call: LimitCall<Native>): Promise<Limited> {
  const visit = Visit.of<Native>(request);
  if (!visit) {
    const problem = 'did not pass `rateLimit`; mount it before this handler';
    return Promise.reject(new InvalidInput('request', problem));
  }
  return visit.guard.limit(visit.facts, call);
}
