import type { FastifyPluginAsync } from 'fastify';
import { Type, type Static } from 'typebox';
import type { Freshness } from '../../control/usage/freshness.ts';
import { parseSpan } from '../../control/usage/span.ts';
import { limitSummary, usageSummary } from '../../control/usage/summary.ts';
import type { LimitCounts, Usage } from '../../control/usage/usage.ts';
import {
  countedAs,
  inspectLimits,
  type Asker,
  type Decider,
  type UsageReader,
} from '../../decide/index.ts';
import { askerOf } from './check/input.ts';
import { asProblem } from './check/problems.ts';
import { clientAddress } from './client-address.ts';
import { problemResponses } from './openapi.ts';
import {
  limitCounts,
  points,
  spanAnswer,
  spanFields,
  summaryField,
  totals,
} from './usage-schemas.ts';

export type UsageRouteParts = {
  readonly decider: Decider;
  readonly usage: Usage;
  readonly freshness: Freshness;
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
    ...spanFields,
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
        summary: summaryField,
      }),
      {
        description:
          'What is used is null for a limit that counts by what was not asked for: name a subject or a resource.',
      },
    ),
    usage: Type.Object({
      ...spanAnswer,
      resource: Nullable(
        Type.String({ description: 'The policy that calls of the resource are counted under.' }),
      ),
      limit: Nullable(Type.String()),
      points,
      totals,
      limits: limitCounts,
      summary: summaryField,
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

async function readUsage(parts: UsageRouteParts, asker: Asker, query: Query) {
  const { decider, usage, freshness, engine } = parts;
  const { key, snapshot } = await decider.admitCurrent(asker);
  const span = parseSpan(query);
  const { tenant, rules, ref } = snapshot;
  const resource = query.resource === undefined ? undefined : countedAs(rules, query.resource);
  const completeUntil = await freshness.of(ref);
  const asked = { tenantId: tenant.id, resource, ...span };
  const [limits, series, counted] = await Promise.all([
    inspectLimits(engine, snapshot, { ...query, keyId: key.id }),
    usage.series({ ...asked, limitName: query.limit }),
    usage.byLimit(asked),
  ]);
  return {
    tenant: { id: tenant.id, name: tenant.name, tier: tenant.tier },
    plan: rules.plan && { id: rules.plan.id, name: rules.plan.name },
    limits: limits.map((limit) => ({
      ...limit,
      summary: limitSummary(limit, countsOf(limit.name, counted), span),
    })),
    usage: {
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      step: span.step,
      complete_until: completeUntil?.toISOString() ?? null,
      resource: resource ?? null,
      limit: query.limit ?? null,
      ...series,
      limits: counted,
      summary: usageSummary(series.totals, counted, { ...span, limitName: query.limit }),
    },
  };
}

function countsOf(name: string, counted: readonly LimitCounts[]): LimitCounts {
  const none = { name, allowed: 0, blocked: 0, would_block: 0 };
  return counted.find((one) => one.name === name) ?? none;
}
