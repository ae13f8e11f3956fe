import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { receiptRowOf } from '../../../platform/src/evidence/receipts/receipt.ts';
import { Receipts, type Receipt } from '../../../platform/src/evidence/index.ts';
import { blocked, eventOf } from '../../../platform/src/observe/test-events.ts';
import { subjectHashUnder } from '../../../platform/src/observe/index.ts';
import { migrate, openDatabase } from '../../../platform/src/database/index.ts';
import { migrations } from '../../../platform/migrations/index.ts';
import { freshDatabase, onEveryDatabase } from '../../support/databases.ts';
import { type Body, NodeClient } from '../rig/client.ts';
import { type RunningNode, startNode } from '../rig/node.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';
import { window } from '../rules/window.ts';
import { receiptFor, receiptsOf, tablesWith, untilNextSecond, untilWritten } from './rig.ts';

describe('a subject', () => {
  let stack: Stack;
  let nodes: readonly RunningNode[];
  const urls: string[] = [];

  beforeAll(async () => {
    stack = await makeStack('PostgreSQL, Redis');
    const settings = { ...stack.settings, SLUICE_RECEIPT_SAMPLE: '1' };
    const watch = (_method: string, path: string) => void urls.push(path);
    nodes = [await startNode(settings, { watch }), await startNode(settings, { watch })];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await stack.remove();
  });

  const clientOf = (at: number) => (nodes[at] as RunningNode).client;
  const db = () => (nodes[0] as RunningNode).service.foundation.database.db;
  const name = () => `canary-${randomUUID()}@example.org`;
  const erase = (tenantId: string, subject: string, client = clientOf(0)) =>
    client.change('POST', 'decisions/erase', { tenant_id: tenantId, subject }) as Promise<
      Body & { readonly subject_hash: string; readonly erased: object }
    >;

  it('is in receipts and rollout alone, of all nodes, and after its erasure nowhere at all', async () => {
    const limits = [window('calls', 3), { ...window('watched', 1), mode: 'shadow' }];
    const { id, key } = await clientOf(0).makeTenant({ limits });
    const other = await clientOf(0).makeTenant({ limits: [window('calls', 1)] });
    const subject = name();
    const attributes = { email: name() };
    const call = { resource: `GET:/users/1`, subject, attributes };
    for (const at of [0, 1, 0, 1]) await clientOf(at).check(key, call);
    await clientOf(1).change('POST', 'overrides', {
      tenant_id: id,
      limit: 'calls',
      numbers: { limit: 9 },
      subject,
      attributes,
      reason: 'a test',
    });
    await clientOf(1).change('DELETE', `overrides?tenant_id=${id}`);
    const block = { tenant_id: id, reason: 'a test' };
    for (const whom of [{ subject }, { attribute: { name: 'email', value: attributes.email } }]) {
      // Two refusals of one second would share a receipt.
      await untilNextSecond();
      const made = await clientOf(1).change('POST', 'blocks', { ...block, ...whom });
      await clientOf(1).check(key, call);
      await clientOf(1).change('DELETE', `blocks/${made.id}`);
    }
    const whose = { tenant_id: id, subject, attributes, resource: call.resource };
    await clientOf(0).change('POST', 'counters/reset', whose);
    for (const one of [key, other.key]) await clientOf(0).check(one, call);
    for (const client of [clientOf(0), clientOf(1)]) await untilWritten(client);
    await expect
      .poll(() => tablesWith(db(), subject), { timeout: 20_000 })
      .toEqual(['receipts', 'rollout_subjects']);
    // What a block by attribute says of it is in the receipt of that refusal, and nowhere else.
    expect(await tablesWith(db(), attributes.email)).toEqual(['receipts']);

    const kept = await receiptsOf(clientOf(0), `tenant_id=${id}`);
    const erased = await erase(id, subject);
    expect(erased.erased).toEqual({ receipts: kept.length, rollout: 1 });
    expect(erased.subject_hash).toBe(kept[0]?.subject_hash);
    expect(await receiptsOf(clientOf(1), `tenant_id=${id}`)).toEqual([]);
    expect((await erase(id, subject)).erased).toEqual({ receipts: 0, rollout: 0 });
    const others = await receiptsOf(clientOf(1), `tenant_id=${other.id}`);
    expect(others.map((one) => one.subject)).toEqual([subject]);
    await erase(other.id, subject);
    expect(await tablesWith(db(), subject)).toEqual([]);
    expect(await tablesWith(db(), attributes.email)).toEqual([]);

    const { items } = await clientOf(0).change('GET', `audit?tenant_id=${id}&noun=decisions`);
    expect(items).toMatchObject([
      { action: 'erase', object_id: id, after: { subject_hash: erased.subject_hash } },
      { action: 'erase', object_id: id, after: { subject_hash: erased.subject_hash } },
    ]);
    for (const node of nodes) {
      const { text: metrics } = await node.client.get('/metrics');
      for (const text of [node.log(), metrics, urls.join('\n')]) {
        expect(text).not.toContain(subject);
        expect(text).not.toContain(attributes.email);
      }
    }
  });

  it('that waits in memory is forgotten too, on this node and on others', async () => {
    const { id, key } = await clientOf(0).makeTenant({ limits: [window('calls', 1)] });
    const subject = name();
    await untilNextSecond();
    for (const at of [0, 0, 1]) await clientOf(at).check(key, { resource: 'r', subject });
    const { erased } = await erase(id, subject);
    expect(erased).toEqual({ receipts: expect.any(Number), rollout: 0 });
    for (const client of [clientOf(0), clientOf(1)]) await untilWritten(client);
    expect(await tablesWith(db(), subject)).toEqual([]);
    const { body } = await clientOf(0).check(key, { resource: 'r', subject });
    expect((await receiptFor(clientOf(1), body)).subject).toBe(subject);
    const receipts = await receiptsOf(clientOf(0), `tenant_id=${id}`);
    expect(receipts.map((one) => one.decision_id)).toEqual([body.decision_id]);
  });

  it('is erased by its own tenant, and by no other', async () => {
    const [own, other] = [await clientOf(0).makeTenant(), await clientOf(0).makeTenant()];
    const tokenOf = async (tenantId: string, role: string) => {
      const fields = { name: 't', role, tenant_id: tenantId };
      return (await clientOf(0).change('POST', 'tokens', fields)).token;
    };
    const subject = name();
    const { body } = await clientOf(0).check(own.key, { resource: 'r', subject });
    await receiptFor(clientOf(0), body);
    const path = `decisions/${String(body.decision_id)}`;
    const as = (token: string) => new NodeClient(clientOf(0).url, token);
    const theirs = as(await tokenOf(other.id, 'owner'));
    const ours = as(await tokenOf(own.id, 'operator'));
    const meant = { tenant_id: own.id, subject };
    expect((await theirs.admin('GET', path)).status).toBe(404);
    expect((await theirs.admin('GET', 'decisions')).body.items).toEqual([]);
    expect((await theirs.admin('GET', `decisions?tenant_id=${own.id}`)).body.items).toEqual([]);
    expect((await theirs.admin('POST', 'decisions/erase', meant)).status).toBe(404);
    const viewer = as(await tokenOf(own.id, 'viewer'));
    expect((await viewer.admin('POST', 'decisions/erase', meant)).status).toBe(403);
    expect((await viewer.admin('GET', path)).status).toBe(200);
    const [seen] = (await ours.admin('GET', 'decisions')).body.items as Receipt[];
    expect(seen?.subject).toBe(subject);
    expect((await ours.admin('POST', 'decisions/erase', meant)).status).toBe(200);
    expect((await ours.admin('GET', path)).status).toBe(404);
  });
});

onEveryDatabase('what is kept', (rig) => {
  const hash = subjectHashUnder('a secret');
  const receipts = () => new Receipts(rig.database.db);
  const makeTenant = async () => {
    const id = randomUUID();
    await rig.database.db
      .insertInto('tenants')
      .values({
        id,
        name: 'a',
        tier: 'free',
        plan_id: null,
        status: 'active',
        timezone: 'UTC',
        billing_anchor_day: 1,
        pool: null,
      })
      .execute();
    return id;
  };
  const write = async (tenant: string, subject: string, atMs: number) => {
    const event = eventOf(blocked(), { tenant, subject });
    const kept = { event, outcome: 'blocked', atMs, size: 0, repeats: 0, lastAtMs: atMs } as const;
    const row = receiptRowOf(kept, hash);
    await receipts().write([row, row]);
    await receipts().write([row]);
    return row.decisionId;
  };
  const left = async (tenant: string) => {
    const { db } = rig.database;
    const rows = db.selectFrom('receipts').select('decision_id').where('tenant_id', '=', tenant);
    return (await rows.execute()).map((row) => row.decision_id);
  };
  const dayMs = 86_400_000;

  it('is written once, and goes when its days are over', async () => {
    const tenant = await makeTenant();
    const nowMs = Date.now();
    await write(tenant, 'a', nowMs - 30 * dayMs - 60_000);
    const young = await write(tenant, 'a', nowMs - 30 * dayMs + 60_000);
    expect(await left(tenant)).toHaveLength(2);
    expect(await receipts().removeOld(30)).toBe(1);
    expect(await left(tenant)).toEqual([young]);
    expect(await receipts().removeOld(29)).toBe(1);
  });

  it('of a tenant that is gone is neither written nor left', async () => {
    const { db } = rig.database;
    const tenant = await makeTenant();
    await write(tenant, 'a', Date.now());
    await db.deleteFrom('tenants').where('id', '=', tenant).execute();
    await db
      .insertInto('tenant_epochs')
      .values({ tenant_id: tenant, epoch: 1, published_epoch: 1, deleted: true })
      .execute();
    await write(tenant, 'b', Date.now());
    expect(await left(tenant)).toHaveLength(1);
    expect(await receipts().removeOld(30)).toBe(1);
    expect(await left(tenant)).toEqual([]);
  });

  it('of an erased subject goes even where it slipped through, and what is newer stays', async () => {
    const { db } = rig.database;
    const tenant = await makeTenant();
    const at = new Date();
    await write(tenant, 'a', at.getTime() - 1000);
    await db
      .insertInto('erasures')
      .values({ tenant_id: tenant, subject_hash: hash(tenant, 'a'), at })
      .execute();
    await write(tenant, 'a', at.getTime());
    const newer = await write(tenant, 'a', at.getTime() + 1);
    const others = await write(tenant, 'b', at.getTime() - 1000);
    expect(await left(tenant)).toHaveLength(3);
    expect(await receipts().removeOld(30)).toBe(1);
    expect(new Set(await left(tenant))).toEqual(new Set([newer, others]));
  });
});

it('what the audit said before is brought to hashes, the same as in logs', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const database = await openDatabase({ url });
  try {
    const { '0005-receipts': _, ...before } = migrations;
    await migrate(database, before);
    const { db } = database;
    await db.insertInto('settings').values({ name: 'subject_secret', value: 'sécret' }).execute();
    const tenant = randomUUID();
    const note = async (noun: string, after: object, tenantId: string | null = tenant) => {
      const id = randomUUID();
      const common = {
        id,
        actor: 'a',
        action: 'update',
        object_id: 'x',
        request_id: null,
      } as const;
      const value = { ...common, noun, tenant_id: tenantId, before: null };
      await db
        .insertInto('audit_entries')
        .values({ ...value, after: JSON.stringify(after) })
        .execute();
      return id;
    };
    const attributes = { user: 'ann', 'team.x': 'eng' };
    const ids = [
      await note('overrides', { subject: 'änn', attributes, limit: 'm' }),
      await note('overrides', { subject: null, attributes: {} }),
      await note('blocks', { subject: null, ip: null, attribute: { name: 'u', value: 'ann' } }),
      await note('blocks', { subject: null, ip: '203.0.113.9/32', attribute: null }, null),
      await note('counters', { resource: 'r' }),
      await note('plans', { subject: 'a plan has none' }),
    ];
    await migrate(database);
    const hash = subjectHashUnder('sécret');
    const { rows } = await database.pool.query(
      'select before, after from audit_entries order by array_position($1::uuid[], id)',
      [ids],
    );
    expect(rows.map((row: { before: unknown }) => row.before)).toEqual(ids.map(() => null));
    expect(rows.map((row: { after: unknown }) => row.after)).toEqual([
      {
        subject_hash: hash(tenant, 'änn'),
        attributes: { user: hash(tenant, 'ann'), 'team.x': hash(tenant, 'eng') },
        limit: 'm',
      },
      { subject_hash: null, attributes: {} },
      {
        subject_hash: null,
        ip_hash: null,
        attribute: { name: 'u', value_hash: hash(tenant, 'ann') },
      },
      { subject_hash: null, ip_hash: hash('', '203.0.113.9/32'), attribute: null },
      { resource: 'r' },
      { subject: 'a plan has none' },
    ]);
  } finally {
    await database.close();
    await drop();
  }
});
