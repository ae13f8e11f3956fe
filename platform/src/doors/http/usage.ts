import type { FastifyPluginAsync } from 'fastify';
import { InvalidInput } from 'sluice/core';
import { Type, type Static } from 'typebox';
import { steps, type Step, type Usage } from '../../control/usage/usage.ts';
import { inspectLimits, type Asker, type Decider, type UsageReader } from '../../decide/index.ts';
import { askerOf } from './check/input.ts';
import { asProblem } from './check/problems.ts';
import { clientAddress } from './client-address.ts';
import { problemResponses } from './openapi.ts';

export type UsageRouteParts = {
  readonly decider: Decider;
  readonly usage: Usage;
  readonly engine: UsageReader;
};

const Query = Type.Object(
  {
    subject: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Whose counters to show.' }),
    ),
    resource: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    limit: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only what this limit counted.' }),
    ),
    from: Type.Optional(Type.String({ format: 'date-time' })),
    to: Type.Optional(Type.String({ format: 'date-time' })),
    step: Type.Optional(Type.Union(steps.map((step) => Type.Literal(step)))),
  },
  { additionalProperties: false },
);
type Query = Static<typeof Query>;

const Nullable = (type: Parameters<typeof Type.Union>[0][number]) =>
  Type.Union([type, Type.Null()]);
const Count = Type.Integer();

const UsageAnswer = Type.Object(
  {
    tenant: Type.Object({ id: Type.String(), name: Type.String(), tier: Type.String() }),
    plan: Nullable(Type.Object({ id: Type.String(), name: Type.String() })),
    limits: Type.Array(
      Type.Object({
        name: Type.String(),
        algorithm: Type.String(),
        unit: Type.String(),
        per: Type.Array(Type.String()),
        level: Type.String(),
        mode: Type.String(),
        limit: Count,
        used: Nullable(Count),
        remaining: Nullable(Count),
        reset_at: Nullable(Type.Integer({ description: 'Unix seconds.' })),
        blocked_until: Nullable(
          Type.Integer({ description: 'In penalty until then, in Unix seconds.' }),
        ),
      }),
      {
        description:
          'What is used is null for a limit that counts by what was not asked for: name a subject or a resource.',
      },
    ),
    usage: Type.Object({
      from: Type.String({ format: 'date-time' }),
      to: Type.String({ format: 'date-time' }),
      step: Type.String(),
      points: Type.Array(
        Type.Object({
          at: Type.String({ format: 'date-time' }),
          allowed: Count,
          warned: Count,
          blocked: Count,
        }),
      ),
    }),
  },
  { $id: 'Usage' },
);

/** `GET /v1/usage`: a tenant's own limits, what is left of them, and what it used over time. */
export const usageRoute: FastifyPluginAsync<UsageRouteParts> = async (app, parts) => {
  app.addSchema(UsageAnswer);
  app.get(
    '/v1/usage',
    {
      schema: {
        tags: ['Usage'],
        summary: "The calling tenant's limits and usage",
        security: [{ apiKey: [] }, { bearer: [] }],
        querystring: Query,
        response: {
          200: Type.Ref('Usage#'),
          ...problemResponses(
            'invalid_request',
            'unauthenticated',
            'scope_missing',
            'tenant_suspended',
            'too_many_failures',
            'unavailable',
          ),
        },
      },
    },
    async (request) => {
      try {
        const asker = askerOf(request.headers, clientAddress(request), 'usage');
        return await readUsage(parts, asker, request.query as Query);
      } catch (error) {
        throw asProblem(error);
      }
    },
  );
};

async function readUsage({ decider, usage, engine }: UsageRouteParts, asker: Asker, query: Query) {
  const caller = await decider.admitCurrent(asker);
  const span = spanOf(query);
  const { tenant, rules } = caller.snapshot;
  const [limits, points] = await Promise.all([
    inspectLimits(engine, caller.snapshot, { ...query, keyId: caller.key.id }),
    usage.series({ tenantId: tenant.id, resource: query.resource, limit: query.limit, ...span }),
  ]);
  return {
    tenant: { id: tenant.id, name: tenant.name, tier: tenant.tier },
    plan: rules.plan && { id: rules.plan.id, name: rules.plan.name },
    limits,
    usage: {
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      step: span.step,
      points: points.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })),
    },
  };
}

const stepMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const pointsDefault = 60;
const pointsMax = 1500;

/** The last hour by the minute, unless asked otherwise. */
function spanOf(query: Query) {
  const step = (query.step ?? 'minute') as Step;
  const to = query.to === undefined ? new Date() : new Date(query.to);
  const from =
    query.from === undefined
      ? new Date(to.getTime() - pointsDefault * stepMs[step])
      : new Date(query.from);
  if (from >= to) throw new InvalidInput('from', 'must be before `to`');
  if ((to.getTime() - from.getTime()) / stepMs[step] > pointsMax) {
    throw new InvalidInput('from', `lies over ${pointsMax} steps back; use a longer step`);
  }
  return { from, to, step };
}
