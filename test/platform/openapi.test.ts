import { Validator } from '@seriousme/openapi-schema-validator';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mint } from '../../platform/src/control/credentials/credential.ts';
import { QuotaEvents } from '../../platform/src/control/quotas/quota-events.ts';
import { routes } from '../../platform/src/doors/http/admin/routes.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { CountingService } from '../envoy/counting-service.ts';
import { Documented, type OpenApi, promisedPairs } from './rig/documented.ts';
import { type RunningNode, startNode } from './rig/node.ts';

const check = { resource: 'GET:/orders', subject: 'ann' };
const ownRoutes = [
  'GET /healthcheck',
  'GET /metrics',
  'GET /v1/admin/live',
  'GET /v1/demo',
  'GET /v1/health',
  'GET /v1/ready',
  'GET /v1/usage',
  'POST /json',
  'POST /v1/check',
  'POST /v1/checks',
  'POST /v1/heartbeat',
  'POST /v1/refund',
  'POST /v1/release',
  'POST /v1/settle',
];

/** Each with a body that is as it should be, of what nobody ever made. */
const followUps = [
  ['settle', { reservation_id: 'never-made', cost: 1 }],
  ['release', { ticket: 'never-made' }],
  ['heartbeat', { ticket: 'never-made' }],
  ['refund', { decision_id: 'never-made' }],
] as const;

describe('the document of a whole node', () => {
  const documented = new Documented();
  let postgres: PostgresServer;
  let folder: string;
  let node: RunningNode;
  let document: OpenApi;

  beforeAll(async () => {
    [postgres, folder] = await Promise.all([startPostgres(), createTemporaryFolder('data')]);
    node = await startNode(
      {
        SLUICE_DATABASE_URL: postgres.url,
        SLUICE_DATA_DIR: folder,
        SLUICE_DEMO: 'on',
        SLUICE_TRUSTED_PROXIES: '127.0.0.1/32',
        SLUICE_DRAIN_SECONDS: '0.5',
      },
      { watch: documented.watch, rateLimits: new CountingService() },
    );
    document = (await node.client.get('/openapi.json')).body as unknown as OpenApi;
  });

  afterAll(async () => {
    await node.stop();
    await Promise.all([postgres.stop(), removeFolder(folder)]);
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/' }] });
  });

  it('has every route, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const registered = routes.map(({ method, path }) => `${method} ${path.replace(':id', '{id}')}`);
    expect(described.toSorted()).toEqual([...registered, ...ownRoutes].toSorted());
  });

  /** All that their routes answer when all is well, and something of what they refuse. */
  async function useQuotasAndWebhooks(id: string): Promise<void> {
    const { client } = node;
    const teams = { eng: { limit: 5, users: { alice: { limit: 2 } } }, ops: { limit: 5 } };
    await client.change('PUT', `quotas/${id}`, { limit: 10, mode: 'warn', teams });
    await client.change('PATCH', `quotas/${id}`, { mode: null });
    await client.change('POST', `quotas/${id}/top-up`, { amount: 5, reason: 'a launch' });
    await client.change('GET', `quotas/${id}`);
    await client.change('GET', 'quotas');
    await client.admin('PUT', `quotas/${id}`, { limit: 1, teams });
    await client.admin('PUT', `quotas/${id}`, { limit: 1, version: 99 });
    const hook = { url: 'https://hooks.invalid', events: ['quota.threshold'], tenant_id: id };
    const { id: hookId } = await client.change('POST', 'webhooks', hook);
    await new QuotaEvents(node.service.foundation.database.db).raise([
      {
        tenantId: id,
        quota: 'quota',
        level: 'team',
        entity: 'eng',
        threshold: 80,
        used: 4,
        limit: 5,
        period: { startUs: 0, endUs: 1 },
      },
    ]);
    await client.change('GET', `webhooks/${hookId}/deliveries`);
    await client.change('GET', `webhooks/${hookId}`);
    await client.change('GET', 'webhooks');
    await client.change('PATCH', `webhooks/${hookId}`, { url: 'https://other.invalid' });
    await client.change('POST', `webhooks/${hookId}/rotate`);
    await client.change('GET', 'audit?noun=quotas');
    await client.change('DELETE', `webhooks/${hookId}`);
    await client.change('DELETE', `quotas/${id}`);
  }

  /** What is said after checks that were let in. */
  async function followUp(key: string): Promise<void> {
    const { client } = node;
    const slots = { algorithm: 'concurrency', max_concurrent: 9, stale_after_seconds: 9 };
    const { key: busy } = await client.makeTenant({
      limits: [slots],
      scopes: ['check', 'settle', 'refund'],
    });
    const { body: open } = await client.check(busy, check);
    await client.follow(busy, 'heartbeat', { ticket: open['ticket'] });
    await client.follow(busy, 'release', { ticket: open['ticket'] });
    const reserve = { ttl_ms: 60_000 };
    const { body: held } = await client.check(key, { ...check, subject: 'bob', reserve });
    const { id } = held['reservation'] as { id: string };
    await client.follow(key, 'heartbeat', { reservation_id: id });
    await client.follow(key, 'settle', { reservation_id: id, cost: 1 });
    const { body: charged } = await client.check(key, { ...check, subject: 'eve' });
    await client.follow(key, 'refund', { decision_id: charged['decision_id'] });
  }

  /** `documented` hears of all of it. What is asserted is what becomes of the whole. */
  async function provokeAll(): Promise<void> {
    const { client } = node;
    const { mark } = node.service.foundation.secrets;
    const [tenant, other, suspended] = [
      await client.makeTenant({
        limits: [{ algorithm: 'fixed_window', limit: 2, window_seconds: 3600 }],
        scopes: ['check', 'settle', 'usage', 'plan:select', 'refund'],
      }),
      await client.makeTenant({ scopes: [] }),
      await client.makeTenant({ scopes: ['check', 'settle', 'usage', 'refund'] }),
    ];
    await client.change('PATCH', `tenants/${suspended.id}`, { status: 'suspended' });
    const guess = () => mint('key', mark).text;
    const guesser = { 'x-forwarded-for': '203.0.113.1' };
    // Right before each: on a busy machine what was counted may be forgotten meanwhile.
    const fail = async () => {
      for (let times = 0; times < 22; times += 1) await client.check(guess(), check, guesser);
    };

    const usage = (key: string, query = '', headers: Record<string, string> = {}) =>
      client.get(`/v1/usage${query}`, { 'x-api-key': key, ...headers });
    await usage(tenant.key);
    await usage(tenant.key, '?subject=ann&resource=GET:/orders&step=hour');
    await usage(tenant.key, '?step=fortnight');
    await usage('');
    await usage(other.key);
    await usage(suspended.key);
    await fail();
    await usage(guess(), '', guesser);

    const idempotent = { ...check, idempotency_key: 'openapi-1' };
    for (const body of [
      idempotent,
      { ...idempotent, cost: 2 },
      { ...check, cost: 9 },
      { ...check, plan_id: randomUUID() },
      {},
      '{',
      'x'.repeat(70_000),
    ]) {
      await client.check(tenant.key, body);
    }
    await client.check(tenant.key, 'x', { 'content-type': 'text/csv' });
    await client.check(other.key, check);
    await client.check(suspended.key, check);
    await fail();
    await client.checks(tenant.key, [check, {}, { ...check, cost: 9 }]);
    await client.checks(tenant.key, []);
    await client.checks('', [check]);
    await client.checks(other.key, [check]);
    await fail();
    await client.checks(guess(), [check], guesser);
    await client.checks(tenant.key, ['x'.repeat(4_300_000)]);
    await client.checks(tenant.key, [check], { 'content-type': 'text/csv' });
    for (const [verb, good] of followUps) {
      const follow = (key: string, body: unknown, headers: Record<string, string> = {}) =>
        client.ask('POST', `/v1/${verb}`, { body, headers: { 'x-api-key': key, ...headers } });
      for (const body of [good, {}, '{', 'x'.repeat(17_000)]) await follow(tenant.key, body);
      for (const key of ['', other.key, suspended.key]) await follow(key, good);
      await follow(tenant.key, 'x', { 'content-type': 'text/csv' });
      await fail();
      await follow(guess(), good, guesser);
    }
    await followUp(tenant.key);
    for (const path of ['/metrics', '/v1/demo', '/v1/health', '/v1/ready']) await client.get(path);
    await client.get('/healthcheck');
    const descriptors = [{ entries: [{ key: 'user', value: 'ann' }] }];
    for (const hitsAddend of [1, 9]) {
      await client.ask('POST', '/json', { body: { domain: 'shop', descriptors, hitsAddend } });
    }
    for (const body of ['{', 'x'.repeat(300_000)]) await client.ask('POST', '/json', { body });

    await useQuotasAndWebhooks(tenant.id);

    await postgres.halt();
    await client.check(guess(), check);
    await client.checks(guess(), [check]);
    await usage(tenant.key);
    for (const [verb, good] of followUps) await client.follow(guess(), verb, good);
    await postgres.resume();
    const drained = node.service.drain.start();
    await client.get('/v1/ready');
    await client.get('/healthcheck');
    await drained;
  }

  it('promises no status that is not answered, and each answer is as it says', async () => {
    await provokeAll();
    const produced = documented.pairs(document);
    // Those of the administrators' routes have a table of their own.
    const promised = [...promisedPairs(document)].filter((pair) => !pair.includes('/v1/admin/'));
    expect(promised.filter((pair) => !produced.has(pair))).toEqual([]);
    expect(documented.problems(document)).toEqual([]);
  });
});
