import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QuotaEvents } from '../../../platform/src/control/quotas/quota-events.ts';
import {
  Deliverer,
  type DelivererOptions,
  type DeliveryOutcome,
} from '../../../platform/src/control/webhooks/deliverer.ts';
import { type Body, onEveryAdmin, webhookSecret } from '../admin/rig.ts';
import { Receiver, type Received } from './receiver.ts';

const waitsMs = [1, 1, 1];

onEveryAdmin(
  'a delivery',
  (suite) => {
    let receiver: Receiver;
    let outcomes: DeliveryOutcome[];
    let lost: unknown[];

    beforeAll(async () => {
      receiver = await Receiver.start();
    });
    beforeEach(() => {
      outcomes = [];
      lost = [];
      receiver.reset();
    });
    afterEach(() => {
      if (lost.length > 0) throw new AggregateError(lost, 'what became of a delivery was lost');
    });
    afterAll(() => receiver.stop());

    const makeDeliverer = (more: Partial<DelivererOptions> = {}) =>
      new Deliverer({
        db: suite.rig.database.db,
        secret: webhookSecret,
        allowPrivate: true,
        waitsMs,
        onOutcome: (outcome) => outcomes.push(outcome),
        onLost: (error) => lost.push(error),
        ...more,
      });

    async function makeHook(url = receiver.url): Promise<Hook> {
      const tenantId = await suite.admin.makeTenant();
      const hook = { tenant_id: tenantId, url, events: ['quota.threshold'] };
      const { body, status } = await suite.admin.post('webhooks', hook);
      expect(status).toBe(201);
      return { tenantId, id: body.id, secret: String(body['secret']) };
    }

    /** Something happens. */
    async function raise({ tenantId }: Hook, count = 1): Promise<void> {
      const notices = Array.from({ length: count }, () => ({
        tenantId,
        quota: 'calls',
        level: 'team' as const,
        entity: randomUUID(),
        threshold: 80 as const,
        used: 80,
        limit: 100,
        period: { startUs: 0, endUs: 1_000_000 },
      }));
      await new QuotaEvents(suite.rig.database.db).raise(notices);
    }

    const listed = async ({ id }: Hook): Promise<readonly Body[]> =>
      (await suite.admin.get(`webhooks/${id}/deliveries`)).body.items;

    /** Until nothing is due any more, at the pace of the waits above. */
    async function deliverAll(deliverer: Deliverer, turns = 12): Promise<void> {
      for (let turn = 0; turn < turns; turn += 1) {
        await deliverer.deliver();
        await deliverer.settled();
        await sleep(5);
      }
    }

    it('is signed as Standard Webhooks says, with what happened in it', async () => {
      const hook = await makeHook();
      await raise(hook);
      await deliverAll(makeDeliverer());
      expect(outcomes).toEqual(['delivered']);
      expect(receiver.received).toHaveLength(1);
      const [message] = receiver.received as [Received];
      expect(JSON.parse(message.body)).toMatchObject({
        type: 'quota.threshold',
        tenant_id: hook.tenantId,
        threshold: 80,
        used: 80,
        limit: 100,
        period: { starts_at: '1970-01-01T00:00:00.000Z', ends_at: '1970-01-01T00:00:01.000Z' },
      });
      expect(message.path).toBe('/hook');
      expect(message.headers['content-type']).toBe('application/json');
      expect(isSignedWith(hook.secret, message)).toBe(true);
      expect(isSignedWith(hook.secret, { ...message, body: `${message.body} ` })).toBe(false);
      const age = Date.now() / 1000 - Number(message.headers['webhook-timestamp']);
      expect(Math.abs(age)).toBeLessThan(30);
      expect(await listed(hook)).toEqual([
        {
          id: message.headers['webhook-id'],
          event: 'quota.threshold',
          status: 'delivered',
          attempts: 1,
          next_at: null,
          delivered_at: expect.any(String),
          failed_at: null,
          last_problem: null,
          created_at: expect.any(String),
        },
      ]);
    });

    it('is signed with the new secret once that was rotated', async () => {
      const hook = await makeHook();
      await raise(hook);
      const { status, body } = await suite.admin.post(`webhooks/${hook.id}/rotate`, {});
      expect(status).toBe(201);
      const secret = String(body['secret']);
      expect(secret).not.toBe(hook.secret);
      await deliverAll(makeDeliverer());
      const [message] = receiver.received as [Received];
      expect(isSignedWith(secret, message)).toBe(true);
      expect(isSignedWith(hook.secret, message)).toBe(false);
    });

    it('is tried again under the same id until it is taken', async () => {
      const hook = await makeHook();
      await raise(hook);
      receiver.reactWith(500, 503);
      await deliverAll(makeDeliverer());
      expect(outcomes).toEqual(['retried', 'retried', 'delivered']);
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(1);
      for (const message of receiver.received)
        expect(isSignedWith(hook.secret, message)).toBe(true);
      expect(await listed(hook)).toMatchObject([{ status: 'delivered', attempts: 3 }]);
    });

    it('waits longer each time, and says what was wrong', async () => {
      const hook = await makeHook();
      await raise(hook);
      receiver.reset(500);
      const deliverer = makeDeliverer({ waitsMs: [60_000, 600_000] });
      await deliverer.deliver();
      await deliverer.settled();
      const [first] = await listed(hook);
      expect(first).toMatchObject({ status: 'waiting', attempts: 1, last_problem: 'answered 500' });
      const waitMs = Date.parse(String(first?.['next_at'])) - Date.now();
      expect(waitMs).toBeGreaterThan(45_000);
      expect(waitMs).toBeLessThan(75_000);
      expect(await deliverer.deliver()).toBe(0);
    });

    it('is given up after the last try', async () => {
      const hook = await makeHook();
      await raise(hook);
      receiver.reset(404);
      await deliverAll(makeDeliverer());
      expect(outcomes).toEqual(['retried', 'retried', 'retried', 'failed']);
      expect(receiver.received).toHaveLength(4);
      expect(await listed(hook)).toMatchObject([
        { status: 'failed', attempts: 4, next_at: null, last_problem: 'answered 404' },
      ]);
    });

    it('is not waited for without end', async () => {
      const hook = await makeHook();
      await raise(hook);
      receiver.reactWith(() => {});
      await deliverAll(makeDeliverer({ timeoutMs: 100, waitsMs: [] }), 1);
      expect(await listed(hook)).toMatchObject([
        { status: 'failed', last_problem: 'did not answer within 100 ms' },
      ]);
    });

    it('is taken when that was said, whatever comes after it', async () => {
      const [slow, large] = [await makeHook(), await makeHook()];
      await raise(slow);
      receiver.reactWith((answer) => void answer.writeHead(200).write('and'));
      await deliverAll(makeDeliverer({ timeoutMs: 300 }), 1);
      expect(await listed(slow)).toMatchObject([{ status: 'delivered' }]);
      await raise(large);
      receiver.reactWith((answer) => {
        answer.writeHead(202);
        const more = () => {
          while (!answer.destroyed && answer.write('x'.repeat(65_536)));
        };
        answer.on('drain', more);
        more();
      });
      await deliverAll(makeDeliverer(), 1);
      expect(await listed(large)).toMatchObject([{ status: 'delivered' }]);
    });

    it('to who has moved away is given up at once, with what else waits for them', async () => {
      const hook = await makeHook();
      await raise(hook, 8);
      receiver.reset(410);
      await deliverAll(makeDeliverer());
      expect(receiver.received.length).toBeLessThanOrEqual(5);
      const all = await listed(hook);
      expect(all).toHaveLength(8);
      for (const one of all) {
        expect(one).toMatchObject({ status: 'failed', last_problem: 'answered 410' });
      }
    });

    it('is not sent where a redirect leads', async () => {
      const hook = await makeHook();
      const elsewhere = await Receiver.start();
      await raise(hook);
      receiver.reactWith((answer) => void answer.writeHead(307, { location: elsewhere.url }).end());
      await deliverAll(makeDeliverer({ waitsMs: [] }), 1);
      expect(await listed(hook)).toMatchObject([
        { status: 'failed', last_problem: 'answered 307, and redirects are not followed' },
      ]);
      expect(elsewhere.received).toEqual([]);
      await elsewhere.stop();
    });

    it.each([
      ['http, where that is not allowed', () => receiver.url, 'the address is not https'],
      [
        'an address that is not public',
        () => receiver.url.replace('http:', 'https:'),
        'the address is not public',
      ],
      [
        'a name that leads to one',
        () => receiver.url.replace('http://127.0.0.1', 'https://localhost'),
        'the address is not public',
      ],
    ])('is not sent to %s', async (_what, url, problem) => {
      const hook = await makeHook(url());
      await raise(hook);
      await deliverAll(makeDeliverer({ allowPrivate: false, waitsMs: [] }), 1);
      expect(await listed(hook)).toMatchObject([{ status: 'failed', last_problem: problem }]);
      expect(receiver.received).toEqual([]);
    });

    it('to nobody is tried again', async () => {
      const gone = await Receiver.start();
      const hook = await makeHook(gone.url);
      await gone.stop();
      await raise(hook);
      await deliverAll(makeDeliverer({ waitsMs: [60_000] }), 1);
      expect(await listed(hook)).toMatchObject([
        { status: 'waiting', last_problem: 'ECONNREFUSED' },
      ]);
    });

    describe('by several nodes', () => {
      it('is sent once', async () => {
        const hooks = [await makeHook(), await makeHook(), await makeHook()];
        for (const hook of hooks) await raise(hook, 10);
        const nodes = Array.from({ length: 4 }, () => makeDeliverer());
        for (let turn = 0; turn < 10; turn += 1) {
          await Promise.all(nodes.map((node) => node.deliver()));
          await Promise.all(nodes.map((node) => node.settled()));
        }
        const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
        expect(ids).toHaveLength(30);
        expect(new Set(ids).size).toBe(30);
      });

      it('of which one died with it is sent by another, and the dead have no say in it', async () => {
        const hook = await makeHook();
        await raise(hook);
        // It took it and is not heard of again, for as long as the lease lasts and longer.
        const dead = makeDeliverer({ leaseMs: 300, timeoutMs: 1500, waitsMs: [] });
        receiver.reactWith(() => {});
        expect(await dead.deliver()).toBe(1);
        const other = makeDeliverer();
        expect(await other.deliver()).toBe(0);
        await sleep(400);
        expect(await other.deliver()).toBe(1);
        await other.settled();
        const taken = { status: 'delivered', attempts: 2, last_problem: null, failed_at: null };
        expect(await listed(hook)).toMatchObject([taken]);
        await dead.settled();
        expect(await listed(hook)).toMatchObject([taken]);
      });

      it('is not kept from one by another that is slow', async () => {
        const [slow, quick] = [await makeHook(), await makeHook()];
        await raise(slow, 60);
        await raise(quick);
        const node = makeDeliverer({ timeoutMs: 2000 });
        receiver.reset((answer) => void setTimeout(() => answer.writeHead(200).end(), 300));
        await node.deliver();
        await node.settled();
        expect(await listed(quick)).toMatchObject([{ status: 'delivered' }]);
        receiver.reset();
        for (let turn = 0; turn < 12; turn += 1) {
          await node.deliver();
          await node.settled();
        }
        const { body } = await suite.admin.get(`webhooks/${slow.id}/deliveries?limit=200`);
        expect(body.items.filter(({ status }) => status === 'delivered')).toHaveLength(60);
      });
    });

    it('is listed on pages, the newest first, and goes with its webhook', async () => {
      const hook = await makeHook();
      for (let at = 0; at < 7; at += 1) await raise(hook);
      const ids = (await listed(hook)).map(({ id }) => id);
      expect(ids).toHaveLength(7);
      const path = `webhooks/${hook.id}/deliveries?limit=3`;
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body } = await suite.admin.get(cursor === '' ? path : `${path}&cursor=${cursor}`);
        seen.push(...body.items.map(({ id }) => id));
        cursor = body.next_cursor;
      }
      expect(seen).toEqual(ids);
      expect(seen).toEqual(seen.toSorted().toReversed());
      expect((await suite.admin.delete(`webhooks/${hook.id}`)).status).toBe(200);
      const rows = await suite.rig.database.db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('webhook_id', '=', hook.id)
        .execute();
      expect(rows).toEqual([]);
    });

    it('is forgotten a month after its end', async () => {
      const hook = await makeHook();
      await raise(hook, 3);
      const { db } = suite.rig.database;
      const [a, b] = await listed(hook);
      const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
      const end = (id: unknown, days: number) =>
        db
          .updateTable('webhook_deliveries')
          .set({ failed_at: daysAgo(days), next_at: daysAgo(days) })
          .where('id', '=', String(id))
          .execute();
      await end(a?.id, 31);
      await end(b?.id, 29);
      expect(await makeDeliverer().removeOld()).toBe(1);
      expect(await listed(hook)).toHaveLength(2);
      await suite.admin.delete(`webhooks/${hook.id}`);
    });
  },
  { webhookPrivate: true },
);

type Hook = { readonly tenantId: string; readonly id: string; readonly secret: string };

/** By the words of the specification, and nothing of ours. */
function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${expected}`;
}
