import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import type { RedisClient } from 'sluice';
import { afterEach, describe, expect, it } from 'vitest';
import { allowed, blocked, eventOf, subject, wouldBlock } from './test-events.ts';
import { noTracing, startTracing, type Tracing, type TracingOptions } from './tracing.ts';

type SpanSeen = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly status: number | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
};

type Collector = {
  readonly url: string;
  readonly bodies: string[];
  spans(): SpanSeen[];
  close(): Promise<void>;
};

/** Takes what an OTLP exporter sends. */
async function startCollector(respond: 'well' | 'badly' | 'never' = 'well'): Promise<Collector> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      bodies.push(body);
      if (respond === 'well') response.setHeader('content-type', 'application/json').end('{}');
      if (respond === 'badly') response.writeHead(400).end('hunter2');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    spans: () => bodies.flatMap(spansIn),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Exported = {
  resourceSpans: {
    scopeSpans: {
      spans: (Omit<SpanSeen, 'attributes' | 'status'> & {
        attributes: { key: string; value: Record<string, unknown> }[];
        status: { code?: number };
      })[];
    }[];
  }[];
};

function spansIn(body: string): SpanSeen[] {
  const { resourceSpans } = JSON.parse(body) as Exported;
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ name, kind, traceId, spanId, parentSpanId, status, attributes }) => ({
      name,
      kind,
      traceId,
      spanId,
      parentSpanId,
      status: status.code,
      attributes: Object.fromEntries(
        attributes.map(({ key, value }) => [key, plain(value)] as const),
      ),
    }));
}

function plain(value: Record<string, unknown>): unknown {
  const [only] = Object.values(value);
  const values = (only as { values?: Record<string, unknown>[] } | undefined)?.values;
  return values ? values.map(plain) : only;
}

const server = 2;
const client = 3;
const error = 2;

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close();
});

async function traced(options: Partial<TracingOptions> = {}) {
  const collector = await startCollector();
  cleanUp.push(() => collector.close());
  const tracing = await startTracing({ endpoint: collector.url, ...options });
  cleanUp.push(() => tracing.close());
  const seen = async () => {
    await tracing.close();
    return collector.spans();
  };
  return { tracing, collector, seen };
}

const request = {
  method: 'POST',
  route: '/v1/check',
  url: '/v1/check?key=hunter2',
  headers: {},
};

const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) =>
    path.includes('opentelemetry'),
  );

// First in this file: what is loaded once stays loaded.
describe('without an endpoint', () => {
  it('no part of OpenTelemetry is loaded, and everything goes on as without', async () => {
    const tracing = await startTracing(null);
    expect(await startTracing({})).toBe(noTracing);
    expect(tracing.enabled).toBe(false);
    expect(tracing.activeIds()).toBeNull();
    expect(tracing.startRequest(request).run(() => 7)).toBe(7);
    const redis: RedisClient = { evalsha: async () => 1, eval: async () => 1 };
    expect(tracing.traceRedis(redis)).toBe(redis);
    const check = tracing.startCheck();
    expect(check.run(() => 8)).toBe(8);
    check.end(eventOf(allowed()));
    await tracing.close();
    expect(loaded()).toEqual([]);
  });

  it('and with one it is', async () => {
    await traced();
    expect(loaded()).not.toEqual([]);
  });
});

describe('a request’s span', () => {
  it('says method, route and status by their usual names, and no query', async () => {
    const { tracing, seen, collector } = await traced({ version: '1.2.3' });
    tracing.startRequest(request).end(200);
    const [span] = await seen();
    expect(span).toMatchObject({
      name: 'POST /v1/check',
      kind: server,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/check',
        'http.response.status_code': 200,
        'url.path': '/v1/check',
        'url.scheme': 'http',
      },
    });
    expect(collector.bodies.join()).not.toContain('hunter2');
    expect(collector.bodies.join()).toContain('"stringValue":"sluice"');
  });

  it('is an error for 5xx, not for a refusal', async () => {
    const { tracing, seen } = await traced();
    for (const status of [429, 404, 503]) tracing.startRequest(request).end(status);
    const spans = await seen();
    expect(spans.map(({ status }) => status === error)).toEqual([false, false, true]);
    expect(spans[2]?.attributes['error.type']).toBe('503');
  });

  it('has no invented method in its name', async () => {
    const { tracing, seen } = await traced();
    tracing.startRequest({ ...request, method: 'BREW', route: null }).end(404);
    expect(await seen()).toMatchObject([
      { name: 'HTTP', attributes: { 'http.request.method': '_OTHER' } },
    ]);
  });

  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const parentId = 'b7ad6b7169203331';

  it('goes on with the caller’s trace', async () => {
    const { tracing, seen } = await traced();
    const headers = { traceparent: `00-${traceId}-${parentId}-00` };
    const span = tracing.startRequest({ ...request, headers });
    expect(span.ids?.traceId).toBe(traceId);
    span.end(200);
    expect(await seen()).toMatchObject([{ traceId, parentSpanId: parentId }]);
  });

  it.each([
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${parentId}-01`,
    'nonsense',
  ])('starts a trace of its own after %s', async (traceparent) => {
    const { tracing, seen } = await traced();
    tracing.startRequest({ ...request, headers: { traceparent } }).end(200);
    const [span] = await seen();
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toBe(traceId);
    expect(span?.parentSpanId).toBeUndefined();
  });

  it('is kept by our own ratio, whatever the caller’s sampled flag says', async () => {
    const { tracing, seen } = await traced({ sampleRatio: 0 });
    const headers = { traceparent: `00-${traceId}-${parentId}-01` };
    const span = tracing.startRequest({ ...request, headers });
    expect(span.ids?.traceId).toBe(traceId);
    span.run(() => tracing.startCheck()).end(eventOf(allowed()));
    span.end(200);
    expect(await seen()).toEqual([]);
  });

  it('is kept or dropped together with all below it', async () => {
    const { tracing, seen } = await traced({ sampleRatio: 0.5 });
    for (let i = 0; i < 100; i++) {
      const span = tracing.startRequest(request);
      span.run(() => tracing.startCheck()).end(eventOf(allowed()));
      span.end(200);
    }
    const spans = await seen();
    expect(spans.length).toBeGreaterThan(20);
    expect(spans.length).toBeLessThan(180);
    const requests = spans.filter(({ kind }) => kind === server);
    expect(spans).toHaveLength(2 * requests.length);
  });
});

describe('a check’s span', () => {
  const checked = async (decision = allowed(), more = {}) => {
    const { tracing, collector, seen } = await traced();
    tracing.startCheck().end(eventOf(decision, more));
    const [span] = await seen();
    expect(collector.bodies.join()).not.toContain(subject);
    return span?.attributes;
  };

  it('has the plan and the decision, and no subject', async () => {
    const decision = allowed();
    expect(await checked(decision)).toEqual({
      'tenant.id': '01990000-0000-7000-8000-000000000001',
      'tenant.tier': 'pro',
      'ratelimit.plan_id': '01990000-0000-7000-8000-000000000002',
      'ratelimit.policy': 'search',
      'ratelimit.outcome': 'allowed',
      'ratelimit.cost': 1,
      'ratelimit.remaining': 9,
      'ratelimit.algorithm': 'fixed_window',
      'ratelimit.basis': 'exact',
      'ratelimit.decision_id': decision.decisionId,
    });
  });

  it('names what refused, and what would have', async () => {
    expect(await checked(blocked(), { planId: null, policy: null })).toMatchObject({
      'ratelimit.outcome': 'blocked',
      'ratelimit.blocked_by': 'all',
    });
    expect(await checked(wouldBlock('shadow'))).toMatchObject({
      'ratelimit.outcome': 'shadowed',
      'ratelimit.over_limit': ['tight'],
    });
  });

  it('is an error when there is no decision, without the error’s words', async () => {
    const { tracing, collector, seen } = await traced();
    tracing.startCheck().fail(new TypeError('hunter2'));
    expect(await seen()).toMatchObject([
      { name: 'check', status: error, attributes: { 'error.type': 'TypeError' } },
    ]);
    expect(collector.bodies.join()).not.toContain('hunter2');
  });
});

describe('spans of Redis and Postgres', () => {
  const redis = (result: () => unknown): RedisClient => ({
    evalsha: async () => result(),
    eval: async () => result(),
  });

  it('leave a cluster one', async () => {
    const { tracing } = await traced();
    const one = redis(() => 5);
    expect(tracing.traceRedis({ ...one, cluster: true }).cluster).toBe(true);
    expect(tracing.traceRedis(one).cluster).toBe(false);
  });

  it('name the script and the server, and neither keys nor arguments', async () => {
    const { tracing, collector, seen } = await traced();
    const watched = tracing.traceRedis(
      redis(() => 5),
      { address: '10.0.0.1', port: 6379, database: 2 },
    );
    expect(await watched.evalsha('cafe', ['hunter2'], ['hunter2'], 'decide')).toBe(5);
    expect(await watched.evalsha('cafe', [], [])).toBe(5);
    expect(await seen()).toMatchObject([
      {
        name: 'EVALSHA decide',
        kind: client,
        attributes: {
          'db.system.name': 'redis',
          'db.operation.name': 'EVALSHA',
          'db.stored_procedure.name': 'decide',
          'db.namespace': '2',
          'server.address': '10.0.0.1',
          'server.port': 6379,
        },
      },
      { name: 'EVALSHA cafe' },
    ]);
    expect(collector.bodies.join()).not.toContain('hunter2');
  });

  it('say which kind of failure it was, and pass it on', async () => {
    const { tracing, collector, seen } = await traced();
    const failing = tracing.traceRedis(
      redis(() => {
        throw new Error('OOM command not allowed: hunter2');
      }),
    );
    await expect(failing.eval('return 1', [], [], 'decide')).rejects.toThrow('OOM');
    expect(await seen()).toMatchObject([
      {
        name: 'EVAL decide',
        status: error,
        attributes: { 'db.response.status_code': 'OOM', 'error.type': 'OOM' },
      },
    ]);
    expect(collector.bodies.join()).not.toContain('hunter2');
  });

  const openKysely = (tracing: Tracing) =>
    new Kysely<{ tenants: { id: string; name: string } }>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
      log: tracing.traceQuery,
    });

  it('name the operation and the table, and no value', async () => {
    const { tracing, collector, seen } = await traced();
    const database = openKysely(tracing);
    const check = tracing.startCheck();
    await check.run(async () => {
      await database.selectFrom('tenants').selectAll().where('name', '=', 'hunter2').execute();
      await database.updateTable('tenants').set({ name: 'hunter2' }).execute();
      await sql`select pg_current_xact_id()`.execute(database);
    });
    check.end(eventOf(allowed()));
    const spans = await seen();
    expect(spans.map(({ name }) => name)).toEqual([
      'SELECT tenants',
      'UPDATE tenants',
      'SELECT',
      'check',
    ]);
    expect(spans[0]).toMatchObject({
      kind: client,
      parentSpanId: spans[3]?.spanId,
      attributes: { 'db.system.name': 'postgresql', 'db.collection.name': 'tenants' },
    });
    expect(collector.bodies.join()).not.toContain('hunter2');
  });

  it('say Postgres’ code of an error', async () => {
    const { tracing, seen } = await traced();
    const query = sql`delete from tenants`.compile(openKysely(noTracing));
    const failure = Object.assign(new Error('hunter2'), { code: '23505' });
    tracing.traceQuery({ level: 'error', error: failure, query, queryDurationMillis: 3 });
    expect(await seen()).toMatchObject([
      {
        name: 'DELETE tenants',
        status: error,
        attributes: { 'db.response.status_code': '23505' },
      },
    ]);
  });
});

describe('a request through HTTP', () => {
  it('is one tree over everything awaited, also after its body was read', async () => {
    const { tracing, seen } = await traced();
    const redis = tracing.traceRedis({ evalsha: async () => 1, eval: async () => 1 });
    const app = fastify();
    const spans = new WeakMap<object, ReturnType<Tracing['startRequest']>>();
    app.addHook('onRequest', (request, _reply, done) => {
      const { method, url, headers, routeOptions } = request;
      const route = routeOptions.url ?? null;
      const span = tracing.startRequest({ method, url, headers, route });
      spans.set(request, span);
      span.run(done);
    });
    app.addHook('onResponse', async (request, reply) => spans.get(request)?.end(reply.statusCode));
    app.post('/v1/check', async () => {
      const check = tracing.startCheck();
      await check.run(async () => {
        await new Promise(setImmediate);
        await redis.evalsha('cafe', [], [], 'decide');
      });
      const ids = tracing.activeIds();
      check.end(eventOf(allowed()));
      return ids;
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    cleanUp.push(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/check`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      return (await response.json()) as { traceId: string; spanId: string };
    };
    const ids = await Promise.all(Array.from({ length: 5 }, ask));
    await app.close();
    const all = await seen();
    expect(all).toHaveLength(15);
    for (const { traceId, spanId } of ids) {
      const of = (name: string) =>
        all.find((span) => span.traceId === traceId && span.name === name);
      expect(of('POST /v1/check')?.spanId).toBe(spanId);
      expect(of('check')?.parentSpanId).toBe(spanId);
      expect(of('EVALSHA decide')?.parentSpanId).toBe(of('check')?.spanId);
    }
  });
});

describe('closing', () => {
  it('sends what is still here', async () => {
    const { tracing, seen } = await traced();
    for (let i = 0; i < 1_000; i++) tracing.startRequest(request).end(200);
    expect(await seen()).toHaveLength(1_000);
  });

  it.each(['never', 'badly'] as const)(
    'takes two seconds at most and says so when the collector answers %s',
    async (respond) => {
      const collector = await startCollector(respond);
      cleanUp.push(() => collector.close());
      const problems: string[] = [];
      const tracing = await startTracing({
        tracesEndpoint: `${collector.url}/v1/traces`,
        onProblem: (problem) => problems.push(problem),
      });
      tracing.startRequest(request).end(200);
      const startMs = performance.now();
      await tracing.close();
      expect(performance.now() - startMs).toBeLessThan(5_000);
      expect(problems).toEqual(['traces could not be sent']);
    },
  );
});
