import { type Static, Type } from 'typebox';
import { type Tenant, tenantDefaults, tenantStatuses } from '../../../control/tenants/tenant.ts';
import type { Tenants } from '../../../control/tenants/tenants.ts';
import { ref } from '../openapi.ts';
import {
  body,
  expectedVersion,
  idField,
  label,
  nameField,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  storedFields,
  text,
} from './fields.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const fields = {
  tier: label(
    'Picks the shared plan of that name and its pool, unless `plan_id` or `pool` say others.',
  ),
  plan_id: nullable(idField),
  status: oneOf(tenantStatuses, { description: 'A suspended tenant is refused every check.' }),
  timezone: Type.String({ maxLength: 64, description: 'IANA name; quotas follow its days.' }),
  billing_anchor_day: Type.Integer({ minimum: 1, maximum: 31 }),
  pool: nullable(
    label("By whose connections, and in which Redis, it is counted; null is its tier's pool."),
  ),
};

const stored = { id: idField, name: nameField, ...fields, ...storedFields };
const tenant = Type.Object(stored, { $id: 'Tenant' });
const changed = Type.Object({ ...stored, ...publishedFields }, { $id: 'ChangedTenant' });

const optional = Type.Partial(Type.Object(fields)).properties;
const create = body({ name: nameField, ...optional });
const update = body({ name: Type.Optional(nameField), ...optional, version: expectedVersion });

const filters = query({
  tier: Type.Optional(text(64)),
  status: Type.Optional(oneOf(tenantStatuses)),
  name_prefix: Type.Optional(text(200)),
});

export const tenantSchemas = [tenant, changed] as const;

export function tenantOperations(tenants: Tenants) {
  return {
    list: operation({
      summary: 'List tenants',
      query: filters,
      answer: pageOf(ref<Tenant>('Tenant')),
      run: ({ actor, query }) => tenants.list(actor, query),
    }),
    get: operation({
      summary: 'Read a tenant',
      answer: ref<Tenant>('Tenant'),
      run: ({ actor, id }) => tenants.get(actor, id),
    }),
    create: operation({
      summary: 'Make a tenant',
      description: `Without a tier it is \`${tenantDefaults.tier}\`.`,
      body: create,
      answer: ref<Static<typeof changed>>('ChangedTenant'),
      run: async ({ actor, body }) => changedAnswer(await tenants.create(actor, body)),
    }),
    update: operation({
      summary: 'Change a tenant',
      description: "A tenant's own token may change its name, and nothing it is limited by.",
      body: update,
      answer: ref<Static<typeof changed>>('ChangedTenant'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await tenants.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: 'Delete a tenant',
      description: 'With its keys, plans, policies, tokens and counters.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) =>
        deletedAnswer(await tenants.remove(actor, id, version)),
    }),
  };
}
