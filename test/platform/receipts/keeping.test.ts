import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migratedDatabase, type PostgresDatabase } from '../../support/databases.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { type RunningNode, startNode } from '../rig/node.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';
import { window } from '../rules/window.ts';
import { droppedBy, receiptFor, receiptsOf, untilWritten } from './rig.ts';

const call = { resource: 'r', subject: 'me' };

describe('receipts', () => {
  let database: PostgresDatabase;
  let postgres: FaultProxy;
  let redis: FaultProxy;
  let folder: string;
  let node: RunningNode;

  beforeAll(async () => {
    folder = await createTemporaryFolder('data');
    database = await migratedDatabase();
    const [databaseUrl, redisUrl] = [new URL(database.url), new URL(inject('redisUrl'))];
    postgres = await FaultProxy.start(Number(databaseUrl.port));
    redis = await FaultProxy.start(Number(redisUrl.port));
    databaseUrl.port = String(postgres.port);
    redisUrl.port = String(redis.port);
    node = await startNode({
      SLUICE_DATA_DIR: folder,
      SLUICE_DATABASE_URL: databaseUrl.href,
      SLUICE_REDIS_URL: redisUrl.href,
      SLUICE_STORE_DEADLINE_MS: '1000',
      SLUICE_RECEIPT_SAMPLE: '0',
    });
  });
  afterAll(async () => {
    await node.stop();
    await Promise.all([postgres.stop(), redis.stop()]);
    await database.drop();
    await removeFolder(folder);
  });

  it('of what was decided without the store say so', async () => {
    const { client } = node;
    const open = await client.makeTenant({ limits: [window('calls', 9)] });
    const closed = await client.makeTenant({
      limits: [window('calls', 9, { on_store_failure: 'closed' })],
    });
    for (const { key } of [open, closed]) await client.check(key, call);
    redis.fault = { kind: 'swallow' };
    const answers = await Promise.all(
      [open, closed].map(async ({ key }) => (await client.check(key, call)).body),
    );
    redis.fault = { kind: 'pass' };
    // On these connections every answer would be taken for that of another question.
    redis.cut();
    const [let_, refused] = await Promise.all(answers.map((body) => receiptFor(client, body)));
    expect(let_).toMatchObject({ outcome: 'degraded', basis: 'fail_open', allowed: true });
    expect(let_?.what_happened).toContain('let calls through then');
    expect(refused).toMatchObject({
      outcome: 'blocked',
      basis: 'fail_closed',
      blocked_by: { limit: 'calls', reason: 'unavailable' },
      what_to_do: 'Try again in a moment.',
    });
  });

  it('wait for a database that is away, as many as there is room for, and are written once', async () => {
    const { client } = node;
    const tenant = await client.makeTenant({ limits: [] });
    await client.change('POST', 'blocks', {
      tenant_id: tenant.id,
      key_id: tenant.keyId,
      reason: 'a test',
    });
    const refuse = async (from: number, to: number) => {
      const checks = Array.from({ length: to - from }, (_, at) => ({
        resource: 'r',
        subject: `s${from + at}`,
      }));
      const { body } = await client.checks(tenant.key, checks);
      expect(body).toMatchObject(checks.map(() => ({ allowed: false })));
    };
    await refuse(0, 1);
    const dropped = await droppedBy(node);
    const before = node.log().length;
    // What is sent arrives, and nobody hears of it: the hardest way to be away.
    postgres.fault = { kind: 'reset_on_reply' };
    await refuse(1, 400);
    while (!node.log().slice(before).includes('"job":"receipts"')) await sleep(20);
    await refuse(400, 700);
    expect(await droppedBy(node)).toBeGreaterThanOrEqual(dropped + 199);
    postgres.fault = { kind: 'pass' };
    await untilWritten(client);
    const receipts = await receiptsOf(client, `tenant_id=${tenant.id}`);
    expect(new Set(receipts.map(({ subject }) => subject)).size).toBe(receipts.length);
    expect(receipts.length).toBeGreaterThanOrEqual(500);
    expect(receipts.length + (await droppedBy(node)) - dropped).toBe(700);
  });
});

describe('receipts', () => {
  let stack: Stack;
  let node: RunningNode | undefined;

  beforeAll(async () => {
    stack = await makeStack('PostgreSQL, memory');
  });
  afterAll(async () => {
    await node?.stop();
    await stack.remove();
  });

  /** Ends the node before, and starts one with these settings on what it left. */
  async function restart(settings: Readonly<Record<string, string>>): Promise<RunningNode> {
    await node?.stop();
    node = undefined;
    node = await startNode({ ...stack.settings, ...settings });
    return node;
  }

  it('that still wait are written when a node stops, and none is kept where they are off', async () => {
    const first = await restart({ SLUICE_RECEIPT_SAMPLE: '1' });
    const { key, id } = await first.client.makeTenant({ limits: [window('calls', 1)] });
    const [allowed, refused] = [
      (await first.client.check(key, call)).body,
      (await first.client.check(key, call)).body,
    ];
    const second = await restart({ SLUICE_EVIDENCE: 'off', SLUICE_RECEIPT_SAMPLE: '1' });
    const path = (one: typeof allowed) => `decisions/${String(one.decision_id)}`;
    expect((await second.client.admin('GET', path(allowed))).body).toMatchObject({
      outcome: 'allowed',
      what_to_do: 'Nothing: it was let in.',
    });
    expect((await second.client.admin('GET', path(refused))).body).toMatchObject({
      outcome: 'blocked',
    });
    await second.client.check(key, call);
    await second.client.check(key, call);
    const third = await restart({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(await receiptsOf(third.client, `tenant_id=${id}`)).toHaveLength(2);
    // Traced as well: the observer is told at once, and the evidence all the same.
    await third.client.check(key, call);
    const traced = await receiptFor(third.client, (await third.client.check(key, call)).body);
    expect(traced).toMatchObject({ outcome: 'blocked' });
    await third.client.change('DELETE', `tenants/${id}`);
    const { db } = third.service.foundation.database;
    expect(await db.selectFrom('receipts').select('decision_id').execute()).toEqual([]);
  });
});
