import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer, Body } from './rig/client.ts';
import { Documented, type OpenApi } from './rig/documented.ts';
import { onEveryStack } from './rig/stacks.ts';

const resource = 'GET:/orders';
const check = { resource, subject: 'ann' };
const window = (name: string, limit: number, more: object = {}) => ({
  name,
  algorithm: 'fixed_window',
  limit,
  window_seconds: 3600,
  ...more,
});

const documented = new Documented();

function itemsOf({ body }: Answer): Body[] {
  return body as unknown as Body[];
}

onEveryStack(
  'POST /v1/checks',
  (rig) => {
    describe('many checks', () => {
      it('are answered in their order, each seeing what those before it took', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 2)] });
        const subjects = ['ann', 'bob', 'ann', 'ann', 'bob', 'eve', 'bob'];
        const answer = await rig.client.checks(
          key,
          subjects.map((subject) => ({ resource, subject })),
        );
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        const seen = itemsOf(answer).map(({ allowed, remaining }) => [allowed, remaining]);
        expect(seen).toEqual([
          [true, 1],
          [true, 1],
          [true, 0],
          [false, 0],
          [true, 0],
          [true, 1],
          [false, 0],
        ]);
      });

      it('of which some are bad have a problem in the place of each, and the others count', async () => {
        const { key, planId } = await rig.client.makeTenant({
          limits: [
            window('w', 10),
            window('team', 10, { per: ['attributes.team'], on_missing: 'reject' }),
          ],
        });
        const good = { ...check, attributes: { team: 'eng' } };
        const answer = await rig.client.checks(key, [
          good,
          { subject: 'ann' },
          'text',
          null,
          good,
          { ...good, cost: -1 },
          check,
          { ...good, plan_id: planId },
          { ...good, subject: '\ud800' },
          { ...good, idempotency_key: 'batch-001' },
          { ...good, idempotency_key: 'batch-001', cost: 2 },
          { ...good, idempotency_key: 'batch-001' },
        ]);
        expect(answer.status).toBe(200);
        const problem = (status: number, code: string, field?: string) => ({
          type: 'about:blank',
          status,
          code,
          ...(field && { errors: [{ field }] }),
        });
        expect(itemsOf(answer)).toMatchObject([
          { allowed: true, remaining: 9 },
          problem(400, 'invalid_request', 'resource'),
          problem(400, 'invalid_request', 'body'),
          problem(400, 'invalid_request', 'body'),
          { allowed: true, remaining: 8 },
          problem(400, 'invalid_request', 'cost'),
          problem(400, 'invalid_request', 'attributes.team'),
          problem(403, 'scope_missing'),
          problem(400, 'invalid_request', 'subject'),
          { allowed: true, remaining: 7, replayed: false },
          problem(422, 'idempotency_conflict'),
          { allowed: true, remaining: 7, replayed: true },
        ]);
      });

      it('that are all bad are all problems', async () => {
        const { key } = await rig.client.makeTenant();
        const answer = await rig.client.checks(key, [{}, { resource }, 7]);
        expect(answer.status).toBe(200);
        expect(itemsOf(answer).map(({ status }) => status)).toEqual([400, 400, 400]);
      });

      it('may be a thousand, and no more', async () => {
        const { key } = await rig.client.makeTenant({ limits: [window('w', 999)] });
        const thousand = Array.from({ length: 1000 }, () => check);
        const items = itemsOf(await rig.client.checks(key, thousand));
        expect(items.map(({ allowed }) => allowed)).toEqual(thousand.map((_, at) => at < 999));
        const ids = new Set(items.map(({ decision_id: id }) => id));
        expect(ids.size).toBe(1000);
        const more = await rig.client.checks(key, [...thousand, check]);
        expect(more.status).toBe(400);
        expect(more.body['errors']).toMatchObject([{ field: 'checks' }]);
        for (const none of [[], undefined, {}]) {
          expect((await rig.client.checks(key, none)).status).toBe(400);
        }
      });

      it('of a key that is not valid are refused as one', async () => {
        const { key, keyId } = await rig.client.makeTenant();
        await rig.client.checks(key, [check]);
        await rig.client.change('DELETE', `keys/${keyId}`);
        const answer = await rig.client.checks(key, [check, {}, check]);
        expect([answer.status, answer.body['code']]).toEqual([401, 'unauthenticated']);
      });

      it('of a suspended tenant or without the scope are refused as one', async () => {
        const { key, id } = await rig.client.makeTenant();
        await rig.client.change('PATCH', `tenants/${id}`, { status: 'suspended' });
        const suspended = await rig.client.checks(key, [check]);
        expect([suspended.status, suspended.body['code']]).toEqual([403, 'tenant_suspended']);
        const other = await rig.client.makeTenant({ scopes: ['usage'] });
        const denied = await rig.client.checks(other.key, [check]);
        expect([denied.status, denied.body['code']]).toEqual([403, 'scope_missing']);
      });

      it('on many limits are taken in as many calls as it needs, in order', async () => {
        const limits = Array.from({ length: 20 }, (_, at) => window(`l${at}`, 150));
        const { key } = await rig.client.makeTenant({ limits });
        const items = itemsOf(
          await rig.client.checks(
            key,
            Array.from({ length: 200 }, () => check),
          ),
        );
        expect(items.map(({ allowed }) => allowed)).toEqual(items.map((_, at) => at < 150));
      });

      it('equal as many single ones', async () => {
        const limits = [
          window('w', 4),
          { name: 'b', algorithm: 'token_bucket', bucket_capacity: 6, refill_rate_per_sec: 0.001 },
          window('rows', 50, { unit: 'elements', per: ['tenant'] }),
          window('seen', 1, { mode: 'shadow' }),
        ];
        const [one, many] = [
          await rig.client.makeTenant({ name: 'same', limits }),
          await rig.client.makeTenant({ name: 'same', limits }),
        ];
        const asked = Array.from({ length: 24 }, (_, at) => ({
          resource,
          subject: ['ann', 'bob', 'eve'][at % 3],
          cost: at % 4,
          costs: { elements: at % 7 },
          ...(at % 5 === 0 && { idempotency_key: `twice-${at % 10}-key` }),
        }));
        const singles: unknown[] = [];
        for (const single of asked)
          singles.push(comparable((await rig.client.check(one.key, single)).body));
        const batch = itemsOf(await rig.client.checks(many.key, asked)).map(comparable);
        expect(batch).toEqual(singles);
      });

      it('without a key are refused before they are looked at', async () => {
        const asking = { body: { checks: [{}] } };
        expect((await rig.client.ask('POST', '/v1/checks', asking)).status).toBe(401);
        const { key } = await rig.client.makeTenant();
        const large = { ...check, x: randomUUID().repeat(120_000) };
        expect((await rig.client.checks(key, [large])).status).toBe(413);
        expect((await rig.client.checks(key, [check], { 'content-type': 'text/csv' })).status).toBe(
          415,
        );
      });
    });

    it('is answered as documented, in every one of the above', async () => {
      const { body: document } = await rig.client.get('/openapi.json');
      expect(documented.problems(document as unknown as OpenApi)).toEqual([]);
    });
  },
  { watch: documented.watch },
);

const moving = ['decision_id', 'retry_after_ms', 'reset_at', 'message', 'request_id'];

/** Without what is new each time, and what the clock moves. */
function comparable(decision: Body): unknown {
  return JSON.parse(JSON.stringify(decision), (name, value: unknown) =>
    moving.includes(name) ? null : value,
  );
}
