import { type Static, Type } from 'typebox';
import type { Plan } from '../../../control/plans/plan.ts';
import type { Plans } from '../../../control/plans/plans.ts';
import { type Template, templateNames, templates } from '../../../control/plans/templates.ts';
import { ref } from '../openapi.ts';
import {
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
import { limit, limitFields } from './limits.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const uniqueName = 'Unique among the plans of its tenant, or among the shared ones.';
const name = Type.String({ maxLength: 64, description: uniqueName });
const limits = Type.Array(ref<Static<typeof limit>>('Limit'), { maxItems: 64 });

const stored = { id: idField, tenant_id: nullable(idField), name, limits, ...storedFields };
const plan = Type.Object(stored, { $id: 'Plan' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedPlan' });

const template = Type.Object(
  {
    name: oneOf(templateNames),
    about: Type.String({ description: 'For people.' }),
    limits,
  },
  { $id: 'PlanTemplate' },
);

/**
 * `limits`, the fields of one, or a template: what is missing or not known is named when it is
 * parsed.
 */
const create = Type.Object(
  {
    tenant_id: Type.Optional(nullable(idField)),
    name: Type.Optional(
      Type.String({ maxLength: 64, description: `${uniqueName} Default: the template's.` }),
    ),
    template: Type.Optional(
      oneOf(templateNames, { description: 'In place of `limits`: to start from its limits.' }),
    ),
    limits: Type.Optional(limits),
    ...Type.Partial(Type.Object(limitFields)).properties,
  },
  { additionalProperties: true },
);
const update = Type.Object(
  {
    name: Type.Optional(name),
    limits: Type.Optional(limits),
    ...Type.Partial(Type.Object(limitFields)).properties,
    version: expectedVersion,
  },
  { additionalProperties: true },
);

const filters = query({
  tenant_id: Type.Optional(text(64, { description: "A tenant's id, or `shared`." })),
  name: Type.Optional(text(64)),
});

export const planSchemas = [limit, plan, changed, template] as const;

export function planOperations(plans: Plans) {
  return {
    list: operation({
      summary: 'List plans',
      query: filters,
      answer: pageOf(ref<Plan>('Plan')),
      run: ({ actor, query }) => plans.list(actor, query),
    }),
    get: operation({
      summary: 'Read a plan',
      answer: ref<Plan>('Plan'),
      run: ({ actor, id }) => plans.get(actor, id),
    }),
    create: operation({
      summary: 'Make a plan',
      conflicts: true,
      description:
        'With `limits`, in short with the fields of its only limit, or from a `template`. Without `tenant_id` it is shared by all tenants.',
      body: create,
      answer: ref<Static<typeof changed>>('ChangedPlan'),
      run: async ({ actor, body }) => changedAnswer(await plans.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a plan',
      conflicts: true,
      description: '`limits` replaces all of them; the fields of a limit change the only one.',
      body: update,
      answer: ref<Static<typeof changed>>('ChangedPlan'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await plans.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Delete a plan',
      conflicts: true,
      description: '409 while tenants are on it.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await plans.remove(actor, id, version)),
    }),
    templates: operation({
      summary: 'List templates of plans',
      answer: Type.Object({ items: Type.Array(ref<Template>('PlanTemplate')) }),
      run: async () => ({ items: templates }),
    }),
  };
}
