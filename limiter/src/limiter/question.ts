import { isPeek, type ParsedCheck } from '../core/check.ts';
import type { BoundLimit, Idempotency, Question } from '../core/engine.ts';
import { joined } from '../core/limit.ts';
import { nextQuestionId } from './question-id.ts';

const idempotencyTtlMs = 86_400_000;

export function questionFor(check: ParsedCheck, limits: readonly BoundLimit[]): Question {
  const peek = isPeek(check);
  const question = { id: nextQuestionId(), limits, peek };
  if (check.idempotencyKey === null && check.reserve === null) return question;
  return {
    ...question,
    idempotency: peek ? undefined : idempotencyOf(check),
    reserve: peek ? undefined : (check.reserve ?? undefined),
  };
}

function idempotencyOf(check: ParsedCheck): Idempotency | undefined {
  if (check.idempotencyKey === null) return undefined;
  return {
    scope: check.subject,
    key: check.idempotencyKey,
    fingerprint: fingerprintOf(check),
    ttlMs: idempotencyTtlMs,
  };
}

/** Two checks with one fingerprint ask the same. */
function fingerprintOf(check: ParsedCheck): string {
  const { resource, cost, costs, attributes, reserve } = check;
  return joined([
    resource,
    String(cost),
    joined(sortedEntries(costs)),
    joined(sortedEntries(attributes)),
    reserve ? `${reserve.ttlMs} ${reserve.onExpiry}` : '',
  ]);
}

function sortedEntries(record: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(record)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => [name, String(value)]);
}
