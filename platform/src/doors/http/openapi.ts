import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import { problemCodes, statusOf, type ProblemBody, type ProblemCode } from './problem.ts';
import type { HttpServer } from './server.ts';

/** Each has a line in the reference; a route names the one it belongs to. */
export const tags = [
  { name: 'Check', description: 'Ask whether a call may go ahead, and settle what was asked.' },
  { name: 'Usage', description: 'What was used, and what is left.' },
  { name: 'Tenants', description: 'Whom limits are for.' },
  { name: 'Plans', description: 'Sets of limits that tenants are on.' },
  { name: 'Policies', description: 'Costs and limits of single resources.' },
  { name: 'Quotas', description: 'Calendar allowances of a tenant, its teams and their users.' },
  { name: 'Overrides', description: 'Other numbers for some, for a while.' },
  { name: 'Blocks', description: 'Who is kept out, or let through.' },
  { name: 'Modes', description: 'How strictly limits are meant.' },
  { name: 'Keys', description: 'What tenants call with.' },
  { name: 'Tokens', description: 'What administrators call with.' },
  { name: 'Audit', description: 'Who changed what.' },
  { name: 'Receipts', description: 'What became of single checks.' },
  { name: 'Webhooks', description: 'Who is told of what happens.' },
  { name: 'System', description: 'The service about itself.' },
] as const;

export type Tag = (typeof tags)[number]['name'];

export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'Always about:blank; `code` tells problems apart.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The status of the answer, again.' }),
    code: Type.Enum(problemCodes, { description: 'Stable, for programs.' }),
    detail: Type.String({ description: 'For people: what was wrong, and what to do.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), problem: Type.String() }), {
        description: 'Which field, and what about it, when it was the input.',
      }),
    ),
    request_id: Type.Optional(Type.String()),
  },
  {
    $id: 'Problem',
    description: 'Every error but a refusal (RFC 9457).',
    examples: [
      {
        type: 'about:blank',
        title: 'The request is not valid',
        status: 400,
        code: 'invalid_request',
        detail: 'resource: is required',
        errors: [{ field: 'resource', problem: 'is required' }],
        request_id: 'mB9cQ3kTnW0x-2s',
      },
    ],
  },
);

/** A schema that was added under its `$id`, by its name: that is how it is called in the reference. */
export function ref<T>(name: string): Type.TUnsafe<T> {
  return Type.Unsafe<T>({ $ref: `${name}#` });
}

/** The `response` entries of a route for the problems it answers with. */
export function problemResponses(...codes: readonly ProblemCode[]): ProblemResponses {
  const statuses = [...new Set(codes.map(statusOf))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: codes.filter((code) => statusOf(code) === status).join(', '),
        content: { 'application/problem+json': { schema: ref<ProblemBody>('Problem') } },
      },
    ]),
  );
}

export type ProblemResponses = Readonly<
  Record<
    number,
    {
      readonly description: string;
      readonly content: {
        readonly 'application/problem+json': { readonly schema: Type.TUnsafe<ProblemBody> };
      };
    }
  >
>;

/** The document comes from the schemas that validate, so it cannot differ from them. */
export async function describeApi(
  app: HttpServer,
  { version, basePath }: { readonly version: string; readonly basePath: string },
): Promise<void> {
  app.addSchema(problemSchema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sluice',
        version,
        description:
          'Rate limits, quotas and concurrency limits. A refusal is a 429 with a decision; every other error is a problem with a stable `code`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath === '' ? '/' : basePath }],
      tags: [...tags],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description: 'A key of a tenant.',
          },
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An admin token; for checks also a key of a tenant.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, at) =>
        typeof $id === 'string' ? $id : `schema-${at}`,
    },
  });
}
