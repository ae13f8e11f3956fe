import { type Static, Type } from 'typebox';
import type { Policy } from '../../../control/policies/policy.ts';
import type { Policies } from '../../../control/policies/policies.ts';
import {
  type PolicyTemplate,
  policyTemplateNames,
  policyTemplates,
} from '../../../control/policies/templates.ts';
import { ref } from '../openapi.ts';
import {
  body,
  expectedVersion,
  idField,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  storedFields,
  text,
} from './fields.ts';
import { type limit, nullableMode } from './limits.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const resource = Type.String({
  maxLength: 512,
  description:
    'A pattern: `{x}` is one segment, `*` anything within one, a final `/*` the rest. One policy for each.',
});
const fields = {
  cost: nullable(Type.Number({ description: 'When the call names none; null is 1.' })),
  costs: Type.Record(Type.String(), Type.Number(), {
    description: 'Of further units, when the call names none.',
  }),
  max_cost: nullable(Type.Number({ description: 'The most that a call may name.' })),
  limits: Type.Array(ref<Static<typeof limit>>('Limit'), { maxItems: 64 }),
  mode: nullableMode,
};

const stored = {
  id: idField,
  tenant_id: nullable(idField),
  resource,
  ...fields,
  ...storedFields,
};
const policy = Type.Object(stored, { $id: 'Policy' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedPolicy' });

const optional = Type.Partial(Type.Object(fields)).properties;
const create = body({
  tenant_id: Type.Optional(nullable(idField)),
  resource: Type.Optional(resource),
  template: Type.Optional(
    oneOf(policyTemplateNames, { description: 'To start from; only `resource` goes with it.' }),
  ),
  ...optional,
});
const template = Type.Object(
  {
    name: Type.String(),
    about: Type.String(),
    resource,
    costs: Type.Record(Type.String(), Type.Integer()),
    limits: Type.Array(ref<Static<typeof limit>>('Limit')),
  },
  { $id: 'PolicyTemplate' },
);
const update = body({ resource: Type.Optional(resource), ...optional, version: expectedVersion });

const filters = query({
  tenant_id: Type.Optional(text(64, { description: "A tenant's id, or `shared`." })),
  resource: Type.Optional(text(512, { description: 'The very pattern.' })),
});

export const policySchemas = [policy, changed, template] as const;

export function policyOperations(policies: Policies) {
  return {
    list: operation({
      summary: 'List policies',
      query: filters,
      answer: pageOf(ref<Policy>('Policy')),
      run: ({ actor, query }) => policies.list(actor, query),
    }),
    get: operation({
      summary: 'Read a policy',
      answer: ref<Policy>('Policy'),
      run: ({ actor, id }) => policies.get(actor, id),
    }),
    create: operation({
      summary: 'Make a policy',
      conflicts: true,
      description:
        'For a `resource`, or from a `template`. Without `tenant_id` it is for all tenants.',
      body: create,
      answer: ref<Static<typeof changed>>('ChangedPolicy'),
      run: async ({ actor, body }) => changedAnswer(await policies.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a policy',
      conflicts: true,
      description: '`limits` and `costs` replace all of them.',
      body: update,
      answer: ref<Static<typeof changed>>('ChangedPolicy'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await policies.update(actor, id, body, version)),
    }),
    templates: operation({
      summary: 'List templates of policies',
      answer: Type.Object({ items: Type.Array(ref<PolicyTemplate>('PolicyTemplate')) }),
      run: async () => ({ items: policyTemplates }),
    }),
    remove: operation({
      summary: 'Delete a policy',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) =>
        deletedAnswer(await policies.remove(actor, id, version)),
    }),
  };
}
