import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import { authorize } from '../../control/authorize.ts';
import type { Tokens } from '../../control/tokens/tokens.ts';
import { listenersMax, type Live } from '../../evidence/index.ts';
import { authenticate, type Failures } from './admin/authenticate.ts';
import { toAdminError } from './admin/problems.ts';
import { EventStream } from './event-stream.ts';
import { problemResponses } from './openapi.ts';
import { Problem } from './problem.ts';

export type LiveRouteParts = {
  readonly live: Live;
  readonly tokens: Tokens;
  readonly failures: Failures;
};

const Query = Type.Object({}, { additionalProperties: false });

const Counts = Type.Record(Type.String(), Type.Integer());
const State = Type.Union([Type.Literal('up'), Type.Literal('down')]);
const Milliseconds = Type.Union([Type.Number(), Type.Null()]);

const LiveEvent = Type.Object(
  {
    at: Type.Integer({ description: 'The second, in Unix time.' }),
    nodes: Type.Integer({ description: 'How many nodes it is of.' }),
    decisions: Type.Integer(),
    outcomes: Counts,
    latency_ms: Type.Object({ p50: Milliseconds, p99: Milliseconds }),
    top_limits: Type.Array(
      Type.Object({
        tenant_id: Type.String(),
        limit: Type.String(),
        refused: Type.Integer(),
        would_refuse: Type.Integer(),
      }),
    ),
    top_subjects: Type.Array(
      Type.Object({
        tenant_id: Type.String(),
        subject_hash: Type.String(),
        limit: Type.Union([Type.String(), Type.Null()]),
        refused: Type.Integer(),
        decision_id: Type.String({ description: 'The first of them, to look up its receipt.' }),
      }),
    ),
    stores: Type.Object({ database: State, store: State }),
    factor: Type.Number({ description: 'The least by which limits were tightened.' }),
  },
  { $id: 'LiveSecond', description: 'The data of one event.' },
);

const stream = {
  description:
    'An event `second` each second, its data a LiveSecond; the same `at` again where a node was late to say what it saw, and then in place of the former. Say `Last-Event-ID` to be told what was missed.',
  content: { 'text/event-stream': { schema: Type.String() } },
};

/** `GET /v1/admin/live`: what happens on all nodes, second by second. */
export const liveRoute: FastifyPluginAsync<LiveRouteParts> = async (app, parts) => {
  const { live, tokens, failures } = parts;
  app.addSchema(LiveEvent);
  // Who listens would keep the server from closing.
  app.addHook('preClose', async () => live.end());
  app.get(
    '/v1/admin/live',
    {
      schema: {
        tags: ['Live'],
        summary: 'Watch decisions as they are made',
        description: `Server-sent events, of all nodes together. At most ${listenersMax} listeners to a node. A stream ends after a minute: come again with the last id. Needs the role viewer, in a token of the platform.`,
        operationId: 'live.watch',
        security: [{ bearer: [] }],
        querystring: Query,
        response: {
          200: stream,
          ...problemResponses(
            'invalid_request',
            'unauthenticated',
            'forbidden',
            'too_many_failures',
            'unavailable',
          ),
        },
      },
      onRequest: async (request) => {
        try {
          const actor = await authenticate(request, { tokens, failures });
          authorize(actor, { least: 'viewer', tenants: false });
        } catch (error) {
          throw toAdminError(error);
        }
      },
    },
    async (request, reply) => {
      const after = lastSeenIn(request.headers['last-event-id']);
      const events = new EventStream();
      const leave = live.listen(events);
      if (!leave) {
        throw new Problem('unavailable', `This node has ${listenersMax} listeners already.`, {
          headers: { 'retry-after': '5' },
        });
      }
      events.once('close', leave);
      // Also of who leaves before anything was sent.
      reply.raw.once('close', () => events.destroy());
      if (after !== null) await events.catchUp(() => live.since(after));
      // A proxy that gathers what it forwards would gather for ever.
      reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8');
      return reply.send(events);
    },
  );
};

function lastSeenIn(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return null;
  const second = /^\d{1,12}$/.test(String(header)) ? Number(header) : null;
  if (second === null) {
    throw new Problem('invalid_request', 'Last-Event-ID must be the id of an event.', {
      errors: [{ field: 'Last-Event-ID', problem: 'must be the id of an event' }],
    });
  }
  return second;
}
