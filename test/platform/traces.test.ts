import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningNode, startNode } from './rig/node.ts';
import { makeStack, type Stack } from './rig/stacks.ts';

const subject = 'subject-that-no-trace-may-show';
const check = { resource: 'GET:/orders', subject };

type Value = { readonly stringValue?: string; readonly boolValue?: boolean };
type Span = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
};

/** Takes what an OTLP exporter sends. */
class Collector {
  readonly bodies: string[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      this.bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  spans(): Span[] {
    type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    return this.bodies.flatMap((body) =>
      (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans),
      ),
    );
  }
}

const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes('@opentelemetry/sdk-trace'),
  );

const attribute = ({ attributes }: Span, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value ? Object.values(value)[0] : undefined;
};

describe('traces', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await makeStack('PostgreSQL, Redis');
  });

  afterAll(() => stack.remove());

  async function checkTwice(node: RunningNode, headers: Record<string, string> = {}) {
    const tenant = await node.client.makeTenant({
      limits: [{ name: 'w', algorithm: 'fixed_window', limit: 1, window_seconds: 3600 }],
    });
    const first = await node.client.check(tenant.key, check, headers);
    const second = await node.client.check(tenant.key, check, headers);
    expect([first.status, second.status]).toEqual([200, 429]);
    return { tenant, decisions: [first.body['decision_id'], second.body['decision_id']] };
  }

  // First of these: what is loaded once stays loaded.
  it('that nobody collects are not made: no part of the SDK is loaded', async () => {
    const node = await startNode(stack.settings);
    await checkTwice(node);
    await node.stop();
    expect(isLoaded()).toBe(false);
  });

  it('show a check within its request and its Redis call within it, with plan and decision', async () => {
    const collector = new Collector();
    const node = await startNode({
      ...stack.settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.open(),
      OTEL_SERVICE_NAME: 'limits-of-mine',
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { tenant, decisions } = await checkTwice(node, {
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    });
    await node.stop();
    collector.close();
    expect(isLoaded()).toBe(true);

    const spans = collector.spans();
    const checks = spans.filter((span) => attribute(span, 'ratelimit.decision_id') !== undefined);
    expect(checks.map((span) => attribute(span, 'ratelimit.decision_id'))).toEqual(decisions);
    expect(checks.map((span) => attribute(span, 'ratelimit.plan_id'))).toEqual([
      tenant.planId,
      tenant.planId,
    ]);
    expect(checks.map((span) => attribute(span, 'ratelimit.outcome'))).toEqual([
      'allowed',
      'blocked',
    ]);
    for (const span of checks) {
      expect(span.traceId).toBe(traceId);
      const request = spans.find(({ spanId }) => spanId === span.parentSpanId);
      expect(request?.name).toBe('POST /v1/check');
      expect(request?.parentSpanId).toBe('b7ad6b7169203331');
      const calls = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
      const redis = calls.filter((call) => attribute(call, 'db.system.name') === 'redis');
      expect(redis.length).toBeGreaterThanOrEqual(1);
    }
    // The second was warm: Redis once, and nothing else.
    const warm = spans.filter(({ parentSpanId }) => parentSpanId === checks[1]?.spanId);
    expect(warm).toHaveLength(1);
    expect(spans.some((span) => attribute(span, 'db.system.name') === 'postgresql')).toBe(true);
    const sent = collector.bodies.join('\n');
    expect(sent).toContain('limits-of-mine');
    for (const secret of [subject, tenant.key, node.service.adminToken]) {
      expect(sent.includes(secret)).toBe(false);
    }
    // The log line of a check leads to its trace.
    expect(node.log()).toContain(traceId);
  });

  it('that cannot be sent hold up nothing', async () => {
    const node = await startNode({
      ...stack.settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    });
    await checkTwice(node);
    await node.stop();
  });
});
