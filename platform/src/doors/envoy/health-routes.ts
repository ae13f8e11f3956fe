import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';

export type HealthRouteParts = { readonly health: { readonly isServing: boolean } };

const text = { 'text/plain': { schema: Type.String() } };

/** As the reference service of Envoy answers, word for word. */
export const healthRoutes: FastifyPluginAsync<HealthRouteParts> = async (app, { health }) => {
  app.get(
    '/healthcheck',
    {
      schema: {
        tags: ['System'],
        summary: "Whether Envoy's rate limit service is served here",
        description:
          '500 until rules are loaded, while the store is away, and from SIGTERM on; as `grpc.health.v1.Health` says for `ratelimit`.',
        response: {
          200: { description: 'OK', content: text },
          500: { description: 'Not now', content: text },
        },
      },
    },
    async (_request, reply) =>
      reply
        .code(health.isServing ? 200 : 500)
        .type('text/plain')
        .serializer(String)
        .send(health.isServing ? 'OK' : ''),
  );
};
