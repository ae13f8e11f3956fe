import { type Static, Type } from 'typebox';
import { numberFields, type NumberField } from '../../../control/overrides/numbers.ts';
import {
  attributesMax,
  type Override,
  overrideStatuses,
} from '../../../control/overrides/override.ts';
import { clearedMax, type Overrides } from '../../../control/overrides/overrides.ts';
import { ref } from '../openapi.ts';
import {
  body,
  endFields,
  expectedVersion,
  idField,
  instant,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  reasonField,
  storedFields,
  subjectField,
  text,
} from './fields.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const numbers = Type.Object(
  Object.fromEntries(numberFields.map((name) => [name, Type.Optional(Type.Number())])) as Record<
    NumberField,
    Type.TOptional<Type.TNumber>
  >,
  {
    additionalProperties: false,
    minProperties: 1,
    description: "What is replaced of the limit's own numbers, the window included.",
  },
);

const limit = Type.String({ maxLength: 64, description: 'The name of the limit.' });
const planId = nullable(
  Type.String({ maxLength: 128, description: 'Of the plan that defines it, if several do.' }),
);
const policyId = nullable(
  Type.String({ maxLength: 128, description: 'Of the policy that defines it, if several do.' }),
);
const fields = {
  resource: nullable(
    Type.String({ maxLength: 512, description: 'A pattern; null is every resource.' }),
  ),
  subject: nullable(subjectField),
  attributes: Type.Record(Type.String(), subjectField, {
    maxProperties: attributesMax,
    description: 'Values that the check must have, by name.',
  }),
  numbers,
  starts_at: nullable(Type.String({ format: 'date-time', description: 'Null is at once.' })),
  reason: reasonField,
};

const stored = {
  id: idField,
  tenant_id: idField,
  limit,
  plan_id: planId,
  policy_id: policyId,
  ...fields,
  expires_at: nullable(instant),
  status: oneOf(overrideStatuses),
  author: Type.String({ description: 'Who made it: the id of a token, or `bootstrap`.' }),
  ...storedFields,
};
const override = Type.Object(stored, { $id: 'Override' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedOverride' });
const cleared = Type.Object(
  {
    deleted: Type.Integer({ description: 'How many.' }),
    more: Type.Boolean({ description: 'Whether others are left: ask again.' }),
    ...publishedFields,
  },
  { $id: 'ClearedOverrides' },
);

const { numbers: _, reason: __, ...others } = fields;
const optional = Type.Partial(Type.Object(others)).properties;
const create = body({
  tenant_id: idField,
  limit,
  plan_id: Type.Optional(planId),
  policy_id: Type.Optional(policyId),
  numbers,
  reason: reasonField,
  ...optional,
  ...endFields,
});
const update = body({
  numbers: Type.Optional(numbers),
  reason: Type.Optional(reasonField),
  ...optional,
  ...endFields,
  version: expectedVersion,
});

const named = {
  tenant_id: Type.Optional(idField),
  resource: Type.Optional(text(512, { description: 'The very pattern.' })),
  subject: Type.Optional(text(1024)),
  status: Type.Optional(oneOf(overrideStatuses)),
};
const filters = query({
  ...named,
  limit_name: Type.Optional(text(64, { description: 'The name of the limit.' })),
});
const clearing = body({
  ...named,
  limit: Type.Optional(text(64, { description: 'The name of the limit.' })),
});

export const overrideSchemas = [override, changed, cleared] as const;

export function overrideOperations(overrides: Overrides) {
  return {
    list: operation({
      summary: 'List overrides',
      query: filters,
      answer: pageOf(ref<Override>('Override')),
      run: ({ actor, query }) => overrides.list(actor, query),
    }),
    get: operation({
      summary: 'Read an override',
      answer: ref<Override>('Override'),
      run: ({ actor, id }) => overrides.get(actor, id),
    }),
    create: operation({
      summary: 'Make an override',
      conflicts: true,
      description:
        'Other numbers for a limit of a tenant. Of several that apply the more exact one counts, then the newer.',
      body: create,
      answer: ref<Static<typeof changed>>('ChangedOverride'),
      run: async ({ actor, body }) => changedAnswer(await overrides.create(actor, body)),
    }),
    update: operation({
      summary: 'Change an override',
      description: '`numbers` and `attributes` replace all of them.',
      body: update,
      answer: ref<Static<typeof changed>>('ChangedOverride'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await overrides.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Delete an override',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) =>
        deletedAnswer(await overrides.remove(actor, id, version)),
    }),
    clear: operation({
      summary: 'Delete overrides',
      description: `All that match every filter, of which it takes at least one; up to ${clearedMax} at once, the oldest first.`,
      query: clearing,
      body: nullable(body({})),
      answer: ref<Static<typeof cleared>>('ClearedOverrides'),
      run: async ({ actor, query }) => changedAnswer(await overrides.clear(actor, query)),
    }),
  };
}
