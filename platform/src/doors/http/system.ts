import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import { consoleRoutes } from './console.ts';
import { docsPage } from './docs-page.ts';
import { problemResponses } from './openapi.ts';
import { Problem } from './problem.ts';
import { createProbe, type DependencyState } from './probe.ts';

export type SystemOptions = {
  readonly version: string;
  readonly basePath?: string;
  /** The configuration was loaded and everything that a check needs is there. */
  readonly isStarted: () => boolean;
  /** Asked by name, each within a bounded time. */
  readonly dependencies: Readonly<Record<string, () => Promise<DependencyState> | DependencyState>>;
  /** Codes of what an operator should put right about them. */
  readonly findings: () => readonly string[];
  /** In the format of Prometheus. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
};

const healthSchema = Type.Object(
  { status: Type.Literal('ok'), version: Type.String() },
  { $id: 'Health', examples: [{ status: 'ok', version: '0.1.0' }] },
);

const dependenciesSchema = Type.Record(
  Type.String(),
  Type.Enum(['up', 'down', 'memory', 'embedded']),
);

const readySchema = Type.Object(
  {
    ready: Type.Literal(true),
    degraded: Type.Boolean({
      description: 'Something is down; checks go on by what is known and what each limit says.',
    }),
    dependencies: dependenciesSchema,
    findings: Type.Array(Type.String(), {
      description:
        'What makes the store unsafe to count in, such as `redis_evicts`; the log says it in words.',
    }),
  },
  {
    $id: 'Ready',
    examples: [
      {
        ready: true,
        degraded: false,
        dependencies: { database: 'up', store: 'up' },
        findings: [],
      },
    ],
  },
);

/** What the service says about itself. */
export const systemRoutes: FastifyPluginAsync<SystemOptions> = async (app, options) => {
  const { version, basePath = '', isStarted, metrics } = options;
  const probes = Object.entries(options.dependencies).map(
    ([name, ask]) => [name, createProbe(ask)] as const,
  );
  app.addSchema(healthSchema);
  app.addSchema(readySchema);

  app.get(
    '/v1/health',
    {
      schema: {
        tags: ['System'],
        summary: 'Whether the process is alive',
        description: 'Says nothing about what it depends on: restarting would not bring that back.',
        response: { 200: Type.Ref('Health#') },
      },
    },
    () => ({ status: 'ok', version }),
  );

  app.get(
    '/v1/ready',
    {
      schema: {
        tags: ['System'],
        summary: 'Whether to send traffic here',
        description:
          '503 while starting and from SIGTERM on. A dependency that is down does not make it 503: every node would leave at once, and checks are still answered.',
        response: { 200: Type.Ref('Ready#'), ...problemResponses('unavailable') },
      },
    },
    async () => {
      const states = await Promise.all(probes.map(async ([name, probe]) => [name, await probe()]));
      const dependencies = Object.fromEntries(states) as Record<string, DependencyState>;
      const degraded = Object.values(dependencies).includes('down');
      const reason = app.drainState.isDraining ? 'draining' : isStarted() ? null : 'starting';
      if (reason === null) {
        return { ready: true, degraded, dependencies, findings: options.findings() };
      }
      throw new Problem('unavailable', `This node is ${reason}; send traffic to another.`, {
        extensions: { ready: false, reason, dependencies },
      });
    },
  );

  app.get(
    '/metrics',
    {
      schema: {
        tags: ['System'],
        summary: 'Metrics for Prometheus',
        response: {
          200: { description: 'Text', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => {
      const { contentType, text } = await metrics();
      return reply.type(contentType).serializer(String).send(text);
    },
  );

  let document: string | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.header('cache-control', 'no-cache').type('application/json').send(document);
  });

  await app.register(docsPage);
  await app.register(consoleRoutes, { basePath });
};
