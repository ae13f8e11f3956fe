import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import {
  RlsRefusal,
  tenantPrefix,
  type RateLimitService,
  type RlsRequest,
} from '../../../rls/ask.ts';
import { bounds } from '../bounds.ts';
import { readJson } from './read-json.ts';
import { writeJson } from './write-json.ts';

export type JsonRouteParts = { readonly rateLimits: RateLimitService };

const answerSchema = Type.Object(
  {
    overallCode: Type.Enum(['OK', 'OVER_LIMIT']),
    statuses: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
  },
  {
    $id: 'RateLimitResponse',
    additionalProperties: true,
    description: "`RateLimitResponse` of Envoy's rate limit service, as proto3 spells it in JSON.",
    examples: [
      {
        overallCode: 'OVER_LIMIT',
        statuses: [
          {
            code: 'OVER_LIMIT',
            currentLimit: { requestsPerUnit: 10, unit: 'MINUTE' },
            durationUntilReset: '26s',
          },
        ],
      },
    ],
  },
);

const text = { 'text/plain': { schema: Type.String() } };
const answer = { 'application/json': { schema: Type.Ref('RateLimitResponse#') } };

/** As the reference service of Envoy answers, word for word. */
export const jsonRoutes: FastifyPluginAsync<JsonRouteParts> = async (app, { rateLimits }) => {
  app.addSchema(answerSchema);
  // Whatever it is called: the reference service does not look either.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  app.post(
    '/json',
    {
      bodyLimit: bounds.messageBytes,
      schema: {
        tags: ['Check'],
        summary: "Ask as Envoy's rate limit service is asked",
        description:
          'The body is a `RateLimitRequest` in JSON. 400 for whatever cannot be decided, as the reference service answers.',
        response: {
          200: { description: 'Within the limits', content: answer },
          429: { description: 'Over a limit', content: answer },
          400: { description: 'Not a request, or no rules are loaded', content: text },
          413: {
            description: 'body_too_large',
            content: { 'application/problem+json': { schema: Type.Ref('Problem#') } },
          },
        },
      },
    },
    async (request, reply) => {
      try {
        const body = typeof request.body === 'string' ? request.body : '';
        const asked = await rateLimits.ask(withoutTenants(readJson(body)));
        return await reply
          .code(asked.isOver ? 429 : 200)
          .type('application/json')
          .serializer(String)
          .send(writeJson(asked));
      } catch (error) {
        if (!(error instanceof RlsRefusal)) throw error;
        return reply.code(400).type('text/plain').serializer(String).send('Bad Request');
      }
    },
  );
};

/** Tenants' own callers reach this port too, with keys: without one, nobody spends what a tenant has. */
function withoutTenants(request: RlsRequest): RlsRequest {
  if (!request.domain.startsWith(tenantPrefix)) return request;
  throw new RlsRefusal('invalid', 'tenants are asked for over gRPC alone');
}
