import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import type { CanonicalLimit } from 'sluice/contract';

export type DemoFacts = {
  readonly tenantId: string;
  readonly key: string;
  readonly plans: readonly DemoPlan[];
};

export type DemoPlan = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly limits: readonly CanonicalLimit[];
};

const limit = Type.Unsafe<CanonicalLimit>({
  type: 'object',
  additionalProperties: true,
  description: 'As in a plan.',
});

const Demo = Type.Object(
  {
    tenant_id: Type.String(),
    key: Type.String({ description: 'For everybody who can reach this service.' }),
    plans: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        about: Type.String(),
        limits: Type.Array(limit),
      }),
    ),
  },
  { $id: 'Demo' },
);

/** `GET /v1/demo`: what to try, for a playground. Absent where nothing is seeded. */
export const demoRoute: FastifyPluginAsync<{ readonly demo: DemoFacts }> = async (
  app,
  { demo },
) => {
  app.addSchema(Demo);
  const { tenantId, key, plans } = demo;
  app.get(
    '/v1/demo',
    {
      schema: {
        tags: ['System'],
        summary: "The demo tenant's key and plans",
        response: { 200: Type.Ref('Demo#') },
      },
    },
    () => ({ tenant_id: tenantId, key, plans }),
  );
};
