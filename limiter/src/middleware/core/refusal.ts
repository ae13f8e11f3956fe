import { IdempotencyConflict, InvalidInput } from '../../core/errors.ts';
import type { DecisionView } from '../../core/limiter-port.ts';
import type { Outcome } from './facts.ts';
import type { Refusal } from './options.ts';

const problemType = 'application/problem+json';

/** 429 and why: what cannot be decided says so, and is never mistaken for a limit that was reached. */
export function refusalOf(
  decision: DecisionView,
  headers: Readonly<Record<string, string>>,
): Refusal {
  const { blockedBy, message, retryAfterMs, decisionId } = decision;
  const reason = blockedBy?.reason ?? 'exceeded';
  const isUnavailable = reason === 'unavailable';
  return {
    status: 429,
    headers,
    contentType: problemType,
    body: {
      type: 'about:blank',
      title: isUnavailable ? 'The limit could not be checked' : 'Too many requests',
      status: 429,
      code: isUnavailable ? 'unavailable' : 'rate_limited',
      detail: message,
      reason,
      limit: blockedBy?.limit ?? null,
      retry_after_ms: retryAfterMs === null ? null : Math.ceil(retryAfterMs),
      decision_id: decisionId,
    },
  };
}

/** With what `onRefused` returned in place of ours. */
export function changedRefusal(refusal: Refusal, changed: Partial<Refusal>): Refusal {
  const contentType =
    typeof changed.body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    ...refusal,
    ...(changed.body !== undefined && { contentType }),
    ...changed,
    headers: { ...refusal.headers, ...changed.headers },
  };
}

export function toOutcome({ status, headers, body, contentType }: Refusal): Outcome {
  return {
    kind: 'refuse',
    status,
    headers: { ...headers, 'Content-Type': contentType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** What a caller did wrong with its idempotency key; anything else is thrown on. */
export function problemOf(error: unknown): Outcome {
  if (error instanceof IdempotencyConflict) {
    const detail = 'This key was used with another request; use a new key for a new request.';
    return problem(422, 'idempotency_conflict', 'The idempotency key is taken', detail);
  }
  if (error instanceof InvalidInput && error.field === 'idempotencyKey') {
    return problem(
      400,
      'invalid_idempotency_key',
      'The idempotency key is not valid',
      error.problem,
    );
  }
  throw error;
}

/** An answer that is no refusal by a limit. */
export function problem(
  status: number,
  code: string,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Outcome {
  const body = { type: 'about:blank', title, status, code, detail };
  return toOutcome({ status, headers, body, contentType: problemType });
}
