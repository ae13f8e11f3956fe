import { type Static, Type } from 'typebox';
import { type Quota, quotaDefaults, quotaPeriods } from '../../../control/quotas/quota.ts';
import type { Quotas } from '../../../control/quotas/quotas.ts';
import { quotaLimitMax } from '../../../control/quotas/teams.ts';
import { ref } from '../openapi.ts';
import {
  body,
  expectedVersion,
  idField,
  instant,
  nullable,
  oneOf,
  pageOf,
  publishedFields,
  query,
  storedFields,
} from './fields.ts';
import { nullableMode } from './limits.ts';
import { changedAnswer, deletedAnswer, operation } from './operation.ts';

const count = Type.Integer({ minimum: 1, maximum: quotaLimitMax });
const counted = nullable(
  Type.Integer({ minimum: 0, description: 'Null while the store cannot be asked.' }),
);
const level = { limit: count, used: counted, remaining: counted };

const fields = {
  name: Type.String({ maxLength: 64, description: 'Of the limit that refuses.' }),
  period: oneOf(quotaPeriods, {
    description: "In the tenant's time zone; months begin on its billing day.",
  }),
  unit: Type.String({ maxLength: 64, description: '`requests`, or a name in `costs`.' }),
  mode: nullableMode,
  overcommit: Type.Boolean({ description: 'Parts may be promised more than the whole has.' }),
};
const limit = Type.Number({ description: 'Of the organisation, in one period.' });

/** What is in it is checked, and named by its path, where it is parsed: names are people's own. */
const teamsSent = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  description:
    'Up to 200 teams and 2000 users: `{"eng":{"limit":500,"users":{"alice":{"limit":100}}}}`. A check names its branch by `attributes.team` and `attributes.user`. Replaces all of them.',
});
const teams = Type.Record(
  Type.String(),
  Type.Object({
    limit: count,
    users: Type.Record(Type.String(), Type.Object({ limit: count })),
  }),
);
const teamsCounted = Type.Record(
  Type.String(),
  Type.Object({ ...level, users: Type.Record(Type.String(), Type.Object(level)) }),
);

const stored = { tenant_id: idField, ...fields, limit: count, ...storedFields };
const topUp = {
  id: idField,
  amount: count,
  reason: Type.String(),
  author: Type.String({ description: 'The id of the token, or `bootstrap`.' }),
  ends_at: instant,
};

const quota = Type.Object({ ...stored, teams }, { $id: 'Quota' });
const changed = Type.Object({ ...stored, teams, ...publishedFields }, { $id: 'ChangedQuota' });
const report = Type.Object(
  {
    ...stored,
    starts_at: instant,
    ends_at: instant,
    effective_limit: Type.Integer({ description: 'With the top-ups.' }),
    used: counted,
    remaining: counted,
    teams: teamsCounted,
    top_ups: Type.Array(Type.Object({ ...topUp, created_at: instant })),
  },
  { $id: 'QuotaReport' },
);
const toppedUp = Type.Object(
  {
    ...topUp,
    limit: Type.Integer({ description: "The organisation's, with all top-ups." }),
    ...publishedFields,
  },
  { $id: 'TopUp' },
);

const optional = Type.Partial(Type.Object({ ...fields, teams: teamsSent })).properties;
const put = body({ limit, ...optional, version: expectedVersion });
const update = body({ limit: Type.Optional(limit), ...optional, version: expectedVersion });
const more = body({
  amount: count,
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
    description: 'For people.',
  }),
  version: expectedVersion,
});

export const quotaSchemas = [quota, changed, report, toppedUp] as const;

const ofTenant =
  "A tenant's own token may change `teams` and `overcommit` of what it has, and nothing else.";

export function quotaOperations(quotas: Quotas) {
  return {
    list: operation({
      summary: 'List quotas',
      description: 'By tenant, without what is used.',
      query: query({}),
      answer: pageOf(ref<Quota>('Quota')),
      run: ({ actor, query }) => quotas.list(actor, query),
    }),
    get: operation({
      summary: "Read a tenant's quota",
      description: 'With what is used and left of it, at every level, in the period that runs.',
      answer: ref<Static<typeof report>>('QuotaReport'),
      run: ({ actor, id }) => quotas.get(actor, id),
    }),
    put: operation({
      summary: "Make or replace a tenant's quota",
      description: `What is left out is as in a new one: \`${quotaDefaults.period}\`, \`${quotaDefaults.unit}\`, no teams. ${ofTenant}`,
      body: put,
      answer: ref<Static<typeof changed>>('ChangedQuota'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await quotas.put(actor, id, body, version)),
    }),
    update: operation({
      summary: "Change a tenant's quota",
      description: `\`teams\` replaces all of them. A limit below what is used leaves 0. ${ofTenant}`,
      body: update,
      answer: ref<Static<typeof changed>>('ChangedQuota'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await quotas.update(actor, id, body, version)),
    }),
    remove: operation({
      summary: "Delete a tenant's quota",
      description: 'With its top-ups.',
      answer: ref('Deleted'),
      run: async ({ actor, id, version }) => deletedAnswer(await quotas.remove(actor, id, version)),
    }),
    topUp: operation({
      summary: "Add to a tenant's quota until its period ends",
      conflicts: true,
      description: 'For the organisation; what teams and users may use stays as it is.',
      body: more,
      answer: ref<Static<typeof toppedUp>>('TopUp'),
      run: async ({ actor, id, body, version }) =>
        changedAnswer(await quotas.topUp(actor, id, body, version)),
    }),
  };
}
