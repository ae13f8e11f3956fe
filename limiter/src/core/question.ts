import { isPeek, type ParsedCheck } from './check.ts';
import type { BoundLimit, Idempotency, Question, Reserve } from './engine.ts';
import { joined } from './limit.ts';
import { nextQuestionNumber, questionId } from './question-id.ts';

const idempotencyTtlMs = 86_400_000;

type More = Pick<Question, 'ledgerLabel' | 'refundable'> & {
  /** Tells the question from others where the check counts many resources as one. */
  readonly asked?: string;
};

const nothingMore: More = {};

/** A check as the engine is asked. Its id is spelled only when somebody needs it. */
export class CheckQuestion implements Question {
  readonly limits: readonly BoundLimit[];
  readonly peek: boolean;
  readonly idempotency: Idempotency | undefined;
  readonly reserve: Reserve | undefined;
  readonly ledgerLabel: string | undefined;
  readonly refundable: boolean | undefined;
  readonly #number = nextQuestionNumber();
  #id: string | undefined;

  constructor(check: ParsedCheck, limits: readonly BoundLimit[], more: More = nothingMore) {
    const { ledgerLabel, asked = check.resource, refundable } = more;
    this.limits = limits;
    this.ledgerLabel = ledgerLabel;
    this.refundable = refundable;
    this.peek = isPeek(check);
    this.idempotency = this.peek ? undefined : idempotencyOf(check, asked);
    this.reserve = this.peek ? undefined : (check.reserve ?? undefined);
  }

  get id(): string {
    return (this.#id ??= questionId(this.#number));
  }
}

function idempotencyOf(check: ParsedCheck, asked: string): Idempotency | undefined {
  if (check.idempotencyKey === null) return undefined;
  return {
    scope: check.subject,
    key: check.idempotencyKey,
    fingerprint: fingerprintOf(check, asked),
    ttlMs: idempotencyTtlMs,
  };
}

/** Two checks with one fingerprint ask the same. */
function fingerprintOf(check: ParsedCheck, asked: string): string {
  const { cost, costs, attributes, reserve } = check;
  return joined([
    asked,
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
