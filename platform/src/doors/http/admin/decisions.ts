import { Type } from 'typebox';
import type { Erasure, Receipt, Receipts } from '../../../evidence/index.ts';
import { outcomes } from '../../../observe/index.ts';
import { Check, Decision } from '../check/schemas.ts';
import { ref } from '../openapi.ts';
import { body, idField, instant, nullable, oneOf, pageOf, query, text } from './fields.ts';
import { operation } from './operation.ts';

export type DecisionsParts = { readonly receipts: Receipts; readonly erasure: Erasure };

const {
  allowed,
  mode,
  cost,
  costs,
  basis,
  degraded_reason: degradedReason,
  message,
  blocked_by: blockedBy,
  would_block: wouldBlock,
  retry_after_ms: retryAfterMs,
  limits,
} = Decision.properties;

const receiptLimit = Type.Intersect([
  limits.items,
  Type.Object({
    per: Type.Array(Type.String()),
    numbers: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the limit was made of, as a plan spells it.',
    }),
    enforce_from: nullable(instant),
  }),
]);

const receipt = Type.Object(
  {
    decision_id: idField,
    at: instant,
    what_happened: Type.String({ description: 'In words, to be passed on as they are.' }),
    what_to_do: Type.String({ description: 'The same for what the caller should do.' }),
    tenant: Type.Object({ id: idField, name: Type.String() }),
    subject: Type.String(),
    subject_hash: Type.String({ description: 'As in the logs.' }),
    resource: Type.String(),
    route: Type.String({ description: 'Where it was asked.' }),
    request_id: nullable(Type.String()),
    outcome: oneOf(outcomes),
    allowed,
    mode,
    cost,
    costs,
    basis,
    degraded_reason: degradedReason,
    message,
    blocked_by: blockedBy,
    would_block: wouldBlock,
    retry_after_ms: retryAfterMs,
    clears_at: nullable(
      Type.String({
        format: 'date-time',
        description:
          'When the same call fits if nobody else calls. Null where nobody knows, or it never does.',
      }),
    ),
    plan_id: nullable(idField),
    policy: nullable(
      Type.String({ description: 'The pattern of the most specific that matched.' }),
    ),
    epoch: Type.Object(
      { tenant: Type.Integer(), shared: Type.Integer() },
      { description: 'Of the configuration that decided: the tenant’s, and what all share.' },
    ),
    limits: Type.Array(receiptLimit),
    repeats: Type.Integer({ description: 'How many more like it came in the same second.' }),
    last_at: Type.String({ format: 'date-time', description: 'When the last of them did.' }),
  },
  { $id: 'Receipt' },
);

export const decisionSchemas = [receipt] as const;

const filters = query({
  tenant_id: Type.Optional(idField),
  outcome: Type.Optional(oneOf(outcomes)),
  limit_name: Type.Optional(text(128, { description: 'Refused by it, or would have been.' })),
  subject_hash: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description: 'As in the logs.' }),
  ),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'At or after.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Before.' })),
});

const { subject } = Check.properties;

/** `/v1/admin/decisions`: what became of single checks, and forgetting whose they were. */
export function decisionOperations({ receipts, erasure }: DecisionsParts) {
  return {
    list: operation({
      summary: 'List receipts',
      description: 'The newest first. Subjects are looked for by their hash, which is in the logs.',
      query: filters,
      answer: pageOf(ref<Receipt>('Receipt')),
      run: ({ actor, query }) => receipts.list(actor, query),
    }),
    get: operation({
      summary: 'Read the receipt of a decision',
      description:
        'By the `decision_id` of its answer. Under a flood the first refusal of a subject by a limit in a second has one, and the others are counted on it.',
      answer: ref<Receipt>('Receipt'),
      run: ({ actor, id }) => receipts.get(actor, id),
    }),
    erase: operation({
      summary: 'Forget a subject',
      description:
        'Deletes all that is kept of it by name as evidence. Says how many rows that were; asked again, none.',
      body: body({ tenant_id: idField, subject }),
      answer: Type.Object({
        subject_hash: Type.String(),
        erased: Type.Record(Type.String(), Type.Integer(), { description: 'By what kept it.' }),
      }),
      run: ({ actor, body: meant }) => erasure.erase(actor, meant),
    }),
  };
}
