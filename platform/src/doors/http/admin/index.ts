import type { FastifyPluginAsync, FastifyRequest, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { Actor } from '../../../control/actor.ts';
import type { ApiKeys } from '../../../control/api-keys/api-keys.ts';
import type { Audit } from '../../../control/audit/audit.ts';
import { authorize } from '../../../control/authorize.ts';
import type { Blocks } from '../../../control/blocks/blocks.ts';
import type { Modes } from '../../../control/modes/modes.ts';
import type { Overrides } from '../../../control/overrides/overrides.ts';
import type { Plans } from '../../../control/plans/plans.ts';
import type { Policies } from '../../../control/policies/policies.ts';
import type { Pools } from '../../../control/pools/pools.ts';
import type { Publications } from '../../../control/publications/publications.ts';
import type { Quotas } from '../../../control/quotas/quotas.ts';
import type { Tenants } from '../../../control/tenants/tenants.ts';
import type { Tokens } from '../../../control/tokens/tokens.ts';
import type { UsageReports } from '../../../control/usage/usage-reports.ts';
import type { Webhooks } from '../../../control/webhooks/webhooks.ts';
import type { Explainer } from '../../../decide/index.ts';
import { problemResponses } from '../openapi.ts';
import type { ProblemCode } from '../problem.ts';
import { auditOperations, auditSchemas } from './audit.ts';
import { authenticate, type Failures } from './authenticate.ts';
import { blockOperations, blockSchemas } from './blocks.ts';
import { counterOperations, type CountersParts } from './counters.ts';
import { decisionOperations, decisionSchemas, type DecisionsParts } from './decisions.ts';
import { explainOperation, explainSchemas } from './explain.ts';
import { body, expectedVersion, nullable, publishedFields } from './fields.ts';
import { keyOperations, keySchemas } from './keys.ts';
import { meOperations, meSchemas } from './me.ts';
import { modeOperations, modeSchemas } from './modes.ts';
import type { Operation } from './operation.ts';
import { overrideOperations, overrideSchemas } from './overrides.ts';
import { planOperations, planSchemas } from './plans.ts';
import { policyOperations, policySchemas } from './policies.ts';
import { poolOperations, poolSchemas } from './pools.ts';
import { toAdminError } from './problems.ts';
import { publicationOperations, publicationSchemas } from './publications.ts';
import { quotaOperations, quotaSchemas } from './quotas.ts';
import { type AdminRoute, type Noun, ofMany, routes, unversioned, type Verb } from './routes.ts';
import { rolloutOperations, rolloutSchemas, type RolloutNoun } from './rollout.ts';
import { tenantOperations, tenantSchemas } from './tenants.ts';
import { tokenOperations, tokenSchemas } from './tokens.ts';
import { usageOperations, usageSchemas } from './usage.ts';
import { expectedVersionOf } from './version.ts';
import { webhookOperations, webhookSchemas } from './webhooks.ts';

/** The nouns of the control plane. */
export type Control = {
  readonly tenants: Tenants;
  readonly plans: Plans;
  readonly policies: Policies;
  readonly overrides: Overrides;
  readonly blocks: Blocks;
  readonly modes: Modes;
  readonly keys: ApiKeys;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly publications: Publications;
  readonly quotas: Quotas;
  readonly webhooks: Webhooks;
  readonly counters: CountersParts;
  readonly usage: UsageReports;
  readonly decisions: DecisionsParts;
  readonly rollout: RolloutNoun;
  readonly pools: Pools;
  /** Of all that, what applies to a check. */
  readonly explainer: Explainer;
};

export type AdminOptions = { readonly control: Control; readonly failures: Failures };

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once that is known; on admin routes only. */
    actor: Actor | null;
  }
}

/** `/v1/admin`: the table of routes, with what each noun does. */
export const adminRoutes: FastifyPluginAsync<AdminOptions> = async (app, options) => {
  const { control, failures } = options;
  const operations = operationsOf(control);
  for (const schema of schemas) app.addSchema(schema);
  app.decorateRequest('actor', null);
  for (const route of routes) {
    const operation = operations[route.noun][route.verb];
    if (!operation) throw new Error(`${route.noun} can't ${route.verb}`);
    app.route({
      method: route.method,
      url: route.path,
      schema: schemaOf(route, operation),
      // Before the body is read: who may not do this learns nothing about it.
      onRequest: async (request) => {
        await inOurWords(async () => {
          request.actor = await authenticate(request, { tokens: control.tokens, failures });
          authorize(request.actor, route);
        });
      },
      handler: async (request, reply) => {
        const answer = await inOurWords(() => operation.run(callOf(request)));
        if ('version' in answer) reply.header('etag', `"${String(answer.version)}"`);
        return reply.code(statusOf(route)).send(answer);
      },
    });
  }
};

const deleted = Type.Object(
  { deleted: Type.Literal(true), ...publishedFields },
  { $id: 'Deleted', description: 'A body rather than 204, to say whether it is published.' },
);

const schemas = [
  deleted,
  ...tenantSchemas,
  ...planSchemas,
  ...policySchemas,
  ...explainSchemas,
  ...overrideSchemas,
  ...blockSchemas,
  ...modeSchemas,
  ...keySchemas,
  ...tokenSchemas,
  ...auditSchemas,
  ...publicationSchemas,
  ...quotaSchemas,
  ...webhookSchemas,
  ...usageSchemas,
  ...decisionSchemas,
  ...rolloutSchemas,
  ...poolSchemas,
  ...meSchemas,
];

function operationsOf(control: Control): Record<Noun, Partial<Record<Verb, Operation>>> {
  return {
    tenants: tenantOperations(control.tenants),
    plans: planOperations(control.plans),
    policies: {
      ...policyOperations(control.policies),
      explain: explainOperation(control.explainer),
    },
    counters: counterOperations(control.counters),
    overrides: overrideOperations(control.overrides),
    blocks: blockOperations(control.blocks),
    modes: modeOperations(control.modes),
    keys: keyOperations(control.keys),
    tokens: tokenOperations(control.tokens),
    audit: auditOperations(control.audit),
    publications: publicationOperations(control.publications),
    quotas: quotaOperations(control.quotas),
    webhooks: webhookOperations(control.webhooks),
    usage: usageOperations(control.usage),
    decisions: decisionOperations(control.decisions),
    rollout: rolloutOperations(control.rollout),
    pools: poolOperations(control.pools),
    me: meOperations(control.tokens),
  };
}

async function inOurWords<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toAdminError(error);
  }
}

function callOf(request: FastifyRequest) {
  const { id = '' } = request.params as { readonly id?: string };
  const query = request.query as { readonly version?: number };
  const sent = request.body as { readonly version?: number } | null | undefined;
  const { version, ...body } = sent ?? {};
  return {
    actor: request.actor as Actor,
    id,
    query,
    body,
    version: expectedVersionOf({
      ifMatch: request.headers['if-match'],
      named: [version, query.version],
    }),
  };
}

function statusOf({ verb }: AdminRoute): 200 | 201 {
  return verb === 'create' || verb === 'rotate' || verb === 'topUp' ? 201 : 200;
}

const tags = {
  tenants: 'Tenants',
  plans: 'Plans',
  policies: 'Policies',
  overrides: 'Overrides',
  blocks: 'Blocks',
  modes: 'Modes',
  keys: 'Keys',
  tokens: 'Tokens',
  audit: 'Audit',
  publications: 'Audit',
  quotas: 'Quotas',
  webhooks: 'Webhooks',
  counters: 'Counters',
  usage: 'Usage',
  decisions: 'Receipts',
  rollout: 'Rollout',
  pools: 'Pools',
  me: 'Tokens',
} as const satisfies Record<Noun, string>;

const nothing = Type.Object({}, { additionalProperties: false });
const ofRemoval = {
  query: body({ version: expectedVersion }),
  body: nullable(body({ version: expectedVersion })),
};

function schemaOf(route: AdminRoute, operation: Operation): FastifySchema {
  const { noun, verb } = route;
  const sent = verb === 'remove' ? ofRemoval : operation;
  return {
    tags: [tags[noun]],
    summary: operation.summary,
    description: describe(route, operation),
    operationId: `${noun}.${verb}`,
    security: [{ bearer: [] }],
    ...(route.path.includes('/:id') ? { params: Type.Object({ id: Type.String() }) } : {}),
    querystring: sent.query ?? nothing,
    ...(sent.body && { body: sent.body }),
    response: {
      [statusOf(route)]: operation.answer,
      ...problemResponses(...problemsOf(route, operation)),
    },
  };
}

function describe({ least, tenants }: AdminRoute, { description }: Operation): string {
  const who = `Needs the role ${least}${tenants ? '' : ', in a token of the platform'}.`;
  return description === undefined ? who : `${description} ${who}`;
}

function problemsOf(route: AdminRoute, operation: Operation): ProblemCode[] {
  const { verb, method, least, tenants } = route;
  const reads = method === 'GET';
  const codes: ProblemCode[] = ['invalid_request', 'unauthenticated', 'too_many_failures'];
  if (least !== 'viewer' || !tenants) codes.push('forbidden');
  if (!ofMany.includes(verb) && !operation.namesNone) codes.push('not_found');
  if (!reads && !unversioned.includes(verb)) codes.push('version_conflict');
  if (operation.conflicts) codes.push('conflict');
  if (!reads) codes.push('invalid_json', 'body_too_large', 'unsupported_media_type');
  return [...codes, 'unavailable'];
}
