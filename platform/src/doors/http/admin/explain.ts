import { type Static, Type } from 'typebox';
import type { Actor } from '../../../control/actor.ts';
import { requireReach } from '../../../control/authorize.ts';
import { NotFound } from '../../../control/errors.ts';
import { requireUuid } from '../../../control/rows.ts';
import type { Explainer, Explanation } from '../../../decide/index.ts';
import { inputOf } from '../check/input.ts';
import { Check } from '../check/schemas.ts';
import { ref } from '../openapi.ts';
import { body, idField, instant, nullable, text } from './fields.ts';
import { operation } from './operation.ts';

const { idempotency_key: _, reserve: __, ...asked } = Check.properties;
const question = body({
  tenant_id: idField,
  ...asked,
  key_id: Type.Optional(text(64, { description: 'The key that would ask.' })),
});

const because = Type.String({ description: 'Why, in words.' });
const explainedLimit = Type.Object({
  name: Type.String(),
  applies: Type.Boolean(),
  because,
  defined_by: Type.Object({ kind: Type.String(), id: Type.Optional(Type.String()) }),
  algorithm: Type.Optional(Type.String()),
  unit: Type.Optional(Type.String()),
  cost: Type.Optional(Type.Integer()),
  per: Type.Optional(Type.Array(Type.String())),
  level: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ description: 'How much there is.' })),
  on_store_failure: Type.Optional(Type.String()),
  skipped_by: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Of a concurrency limit: the doors that leave it out, for nobody there says when a call has ended.',
    }),
  ),
  mode: Type.Optional(Type.String()),
  mode_because: Type.Optional(because),
  enforce_from: Type.Optional(nullable(instant)),
  numbers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  base_numbers: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Before any override.' }),
  ),
  override: Type.Optional(
    Type.Union([
      Type.Object({
        id: Type.String(),
        of: Type.String({ description: 'The limit that it names: itself, or what it shares.' }),
      }),
      Type.Null(),
    ]),
  ),
});

const explanation = Type.Object(
  {
    tenant: Type.Object({
      id: idField,
      name: Type.String(),
      tier: Type.String(),
      status: Type.String(),
    }),
    allowed_without_limits: Type.Boolean({
      description: 'Neither plan, policy nor quota says anything: every such check is allowed.',
    }),
    plan: Type.Union([Type.Object({ id: idField, name: Type.String(), because }), Type.Null()]),
    resource: Type.Object({ asked: Type.String(), counted: Type.String(), because }),
    policies: Type.Array(
      Type.Object({
        id: idField,
        resource: Type.String(),
        cost: nullable(Type.Integer()),
        costs: Type.Record(Type.String(), Type.Integer()),
        max_cost: nullable(Type.Integer()),
        mode: nullable(Type.String()),
        limits: Type.Array(Type.String()),
      }),
      { description: 'Those that match, the most specific first.' },
    ),
    cost: Type.Integer(),
    costs: Type.Record(Type.String(), Type.Integer()),
    cost_because: because,
    block: Type.Union([
      Type.Object({ id: idField, action: Type.String(), expires_at: nullable(instant) }),
      Type.Null(),
    ]),
    limits: Type.Array(explainedLimit),
  },
  { $id: 'Explanation' },
);

export const explainSchemas = [explanation] as const;

export function explainOperation(explainer: Explainer) {
  return operation({
    summary: 'Explain what applies to a check',
    description:
      'Which plan, policies, overrides, modes and numbers apply, and why. Decides nothing and charges nothing.',
    body: question,
    answer: ref<Explanation>('Explanation'),
    run: ({ actor, body: sent }) => explainFor(explainer, actor, sent),
  });
}

async function explainFor(
  explainer: Explainer,
  actor: Actor,
  { tenant_id: tenantId, key_id: keyId, ...check }: Static<typeof question>,
): Promise<Explanation> {
  requireReach(actor, 'tenant', requireUuid('tenant', tenantId));
  const explained = await explainer.explain(tenantId, { ...inputOf(check), keyId });
  if (!explained) throw new NotFound('tenant');
  return explained;
}
