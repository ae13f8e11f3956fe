import { type Static, Type } from 'typebox';
import type { Actor } from '../../../control/actor.ts';
import { requirePlatform, requireReach } from '../../../control/authorize.ts';
import type { Changes } from '../../../control/change.ts';
import { NotFound } from '../../../control/errors.ts';
import { requireUuid } from '../../../control/rows.ts';
import type { Counters, CounterQuery } from '../../../decide/index.ts';
import { Check } from '../check/schemas.ts';
import { body, idField, nullable, text } from './fields.ts';
import { operation } from './operation.ts';

const { resource, subject, attributes, plan_id: planId } = Check.properties;
const whose = body({
  tenant_id: idField,
  limit: Type.Optional(text(64, { description: 'Only the limit of this name.' })),
  resource: Type.Optional(resource),
  subject: Type.Optional(subject),
  attributes,
  plan_id: planId,
  key_id: Type.Optional(text(64)),
});
type Whose = Static<typeof whose>;

const counter = Type.Object(
  {
    name: Type.String(),
    algorithm: Type.String(),
    unit: Type.String(),
    per: Type.Array(Type.String()),
    level: Type.String(),
    mode: Type.String(),
    limit: Type.Integer(),
    used: nullable(Type.Integer()),
    remaining: nullable(Type.Integer()),
    reset_at: nullable(Type.Integer()),
    blocked_until: nullable(Type.Integer()),
  },
  { description: 'What is used is null where it was not said whose counter is meant.' },
);

export type CountersParts = { readonly counters: Counters; readonly changes: Changes };

/** `POST /v1/admin/counters/…`: single counters, for who must look or help at once. */
export function counterOperations({ counters, changes }: CountersParts) {
  const about = 'Whose counters: of a resource, or of the plan; by subject, attributes and key.';
  return {
    inspect: operation({
      summary: 'Look at counters',
      description: about,
      body: whose,
      answer: Type.Object({ limits: Type.Array(counter) }),
      run: async ({ actor, body: sent }) => {
        const tenantId = tenantIn(actor, sent);
        return { limits: found(await counters.inspect(tenantId, queryOf(sent))) };
      },
    }),
    reset: operation({
      summary: 'Set counters back to nothing used',
      description: `${about} Ends penalties too.`,
      body: whose,
      answer: Type.Object({ reset: Type.Array(Type.String()) }),
      run: async ({ actor, body: sent }) => ({
        reset: await noted(changes, actor, 'reset', sent, (id) =>
          counters.reset(id, queryOf(sent)),
        ),
      }),
    }),
    unblock: operation({
      summary: 'End penalties',
      description: `${about} What was used stays used.`,
      body: whose,
      answer: Type.Object({ unblocked: Type.Integer() }),
      run: async ({ actor, body: sent }) => ({
        unblocked: await noted(changes, actor, 'unblock', sent, (id) =>
          counters.unblock(id, queryOf(sent)),
        ),
      }),
    }),
  };
}

/** In the audit before it is done: what can't be noted is not done. */
async function noted<T>(
  changes: Changes,
  actor: Actor,
  action: 'reset' | 'unblock',
  sent: Whose,
  work: (tenantId: string) => Promise<T | null>,
): Promise<T> {
  requirePlatform(actor, `${action} counters`);
  const tenantId = tenantIn(actor, sent);
  const { value } = await changes.make(actor, async (change) => {
    const { tenant_id: objectId, ...after } = sent;
    await change.note({ action, noun: 'counters', objectId, tenantId, after });
    return found(await work(tenantId));
  });
  return value;
}

function tenantIn(actor: Actor, { tenant_id: tenantId }: Whose): string {
  requireReach(actor, 'tenant', requireUuid('tenant', tenantId));
  return tenantId;
}

function queryOf(sent: Whose): CounterQuery {
  const { limit, resource: called, subject: who, attributes: by, plan_id, key_id } = sent;
  return { limit, resource: called, subject: who, attributes: by, planId: plan_id, keyId: key_id };
}

function found<T>(answer: T | null): T {
  if (answer === null) throw new NotFound('tenant');
  return answer;
}
