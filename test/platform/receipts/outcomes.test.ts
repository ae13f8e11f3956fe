import { beforeAll, describe, expect, it } from 'vitest';
import type { Receipt } from '../../../platform/src/evidence/index.ts';
import type { Body } from '../rig/client.ts';
import { Documented, type OpenApi } from '../rig/documented.ts';
import { onEveryStack } from '../rig/stacks.ts';
import { window } from '../rules/window.ts';
import { receiptFor, receiptsOf, untilNextSecond, untilWritten } from './rig.ts';

const documented = new Documented();

type Made = { readonly answer: Body; readonly receipt: Receipt };

onEveryStack(
  'receipts',
  (rig) => {
    const made: Record<string, Made> = {};
    const tenants: Record<string, string> = {};
    const call = { resource: 'GET:/orders', subject: 'user:42' };

    /** The last answer of so many calls of a tenant of its own. */
    async function provoke(
      name: string,
      limits: readonly object[],
      {
        calls = 2,
        asked = {},
        prepare = async () => {},
      }: {
        readonly calls?: number;
        readonly asked?: object;
        readonly prepare?: (tenantId: string) => Promise<unknown>;
      } = {},
    ): Promise<Body> {
      const { id, key } = await rig.client.makeTenant({ name: `Acme ${name}`, limits });
      tenants[name] = id;
      await prepare(id);
      let answer: Body | undefined;
      for (let sent = 0; sent < calls; sent += 1) {
        // Two refusals of one second would share a receipt.
        if (sent === 2) await untilNextSecond();
        answer = (await rig.client.check(key, { ...call, ...asked })).body;
      }
      return answer as Body;
    }

    const set = (noun: string, fields: object, method = 'POST') =>
      rig.client.change(method, noun, fields);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const enforceFrom = `${new Date().getUTCFullYear() + 1}-12-01T00:00:00.000Z`;

    beforeAll(async () => {
      const slots = { name: 's', algorithm: 'concurrency', max_concurrent: 1 };
      const answers: Record<string, Body> = {
        plan: await provoke('plan', [window('calls', 1), window('wide', 9)]),
        override: await provoke('override', [window('calls', 5)], {
          prepare: (tenant_id) =>
            set('overrides', {
              tenant_id,
              limit: 'calls',
              numbers: { limit: 1 },
              reason: 'too many',
            }),
        }),
        policy: await provoke('policy', [window('wide', 9)], {
          prepare: (tenant_id) =>
            set('policies', { tenant_id, resource: 'GET:/*', limits: [window('reads', 1)] }),
        }),
        quota: await provoke('quota', [window('wide', 9)], {
          prepare: (tenant_id) => set(`quotas/${tenant_id}`, { limit: 1, period: 'year' }, 'PUT'),
        }),
        penalty: await provoke('penalty', [window('calls', 1, { block_for_seconds: 864_000 })], {
          calls: 3,
        }),
        impossible: await provoke('impossible', [window('calls', 3)], {
          calls: 1,
          asked: { cost: 4 },
        }),
        slots: await provoke('slots', [{ ...slots, stale_after_seconds: 600 }]),
        blocked: await provoke('blocked', [window('calls', 9)], {
          calls: 1,
          prepare: (tenant_id) =>
            set('blocks', {
              tenant_id,
              subject: 'user:42',
              reason: 'abuse',
              expires_at: inAnHour,
            }),
        }),
        warned: await provoke('warned', [window('calls', 1)], {
          prepare: (tenant_id) =>
            set(
              'modes',
              { scope: 'tenant', tenant_id, mode: 'warn', enforce_from: enforceFrom },
              'PUT',
            ),
        }),
        shadowed: await provoke('shadowed', [window('calls', 1, { mode: 'shadow' })]),
        unnamed: await provoke('unnamed', [window('calls', 1)], {
          asked: { subject: 'a\u0000"\n\\ü😀', attributes: { email: 'ann@example.org' } },
        }),
      };
      for (const [name, answer] of Object.entries(answers)) {
        made[name] = { answer, receipt: await receiptFor(rig.client, answer) };
      }
    });

    const of = (name: string) => made[name] as Made;

    it('say what the answer said, number by number', () => {
      for (const { answer, receipt } of Object.values(made)) {
        const { allowed, mode, cost, costs, basis, message, blocked_by, would_block } = answer;
        expect(receipt).toMatchObject({ allowed, mode, cost, costs, basis, message });
        expect(receipt).toMatchObject({ blocked_by, would_block });
        expect(receipt.retry_after_ms).toBe(answer.retry_after_ms);
        expect(receipt.limits).toMatchObject(answer.limits);
        expect(receipt.limits).toHaveLength((answer.limits as unknown[]).length);
      }
    });

    it('say who, what, when, where, and by which configuration', async () => {
      const { receipt } = of('plan');
      const id = String(tenants['plan']);
      const { items } = await rig.client.change('GET', `plans?tenant_id=${id}`);
      expect(receipt).toMatchObject({
        tenant: { id, name: 'Acme plan' },
        ...call,
        subject_hash: expect.stringMatching(/^[\w-]{22}$/),
        route: '/v1/check',
        request_id: expect.any(String),
        policy: null,
        repeats: 0,
        last_at: receipt.at,
      });
      expect((items as Body[]).map((plan) => plan.id)).toEqual([receipt.plan_id]);
      expect(rig.node.log()).toContain(`"subject_hash":"${receipt.subject_hash}"`);
      expect(rig.node.log()).toContain(receipt.request_id);
      expect(Math.abs(Date.parse(receipt.at) - Date.now())).toBeLessThan(120_000);
      const { epoch } = await rig.node.service.foundation.database.db
        .selectFrom('tenant_epochs')
        .select('epoch')
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow();
      expect(receipt.epoch).toEqual({ tenant: epoch, shared: expect.any(Number) });
    });

    it('of a refusal tell the limit, its numbers, and when it clears', () => {
      const { answer, receipt } = of('plan');
      expect(receipt).toMatchObject({ outcome: 'blocked', blocked_by: { limit: 'calls' } });
      expect(receipt.limits[0]).toMatchObject({
        numbers: { limit: 1, window_seconds: 864_000 },
        per: ['resource', 'subject', 'tenant'],
        used: 1,
        allowed: false,
      });
      const waitMs = Date.parse(String(receipt.clears_at)) - Date.parse(receipt.at);
      expect(waitMs).toBe(answer.retry_after_ms);
      expect(receipt.what_happened).toContain(
        'GET:/orders of user:42 was refused. calls allows 1 per 10 days for this user; ' +
          '1 was used when the call asked for 1 more.',
      );
      expect(receipt.what_to_do).toMatch(/^Wait .* days?, then try again: at /);
    });

    it('name the override and what would be without it', () => {
      const { receipt } = of('override');
      const [limit] = receipt.limits;
      expect(limit).toMatchObject({ limit: 1, base_limit: 5, override_id: expect.any(String) });
      expect(receipt.what_happened).toContain(
        `That is by override ${limit?.override_id}; without it, it would be 5.`,
      );
    });

    it('name the policy, the quota, the penalty, and what never fits', () => {
      expect(of('policy').receipt).toMatchObject({
        policy: 'GET:/*',
        blocked_by: { limit: 'reads' },
      });
      const { receipt: quota } = of('quota');
      expect(quota.blocked_by).toMatchObject({ level: 'organization', entity: 'Acme quota' });
      expect(quota.limits.at(-1)).toMatchObject({ numbers: { limit: 1, period: 'year' }, used: 1 });
      expect(quota.what_happened).toContain('quota allows 1 per year for Acme quota');
      const { receipt: penalty } = of('penalty');
      expect(penalty.blocked_by).toMatchObject({ reason: 'penalty' });
      expect(penalty.what_happened).toContain('after earlier refusals its calls are blocked');
      const { receipt: impossible } = of('impossible');
      expect(impossible).toMatchObject({ clears_at: null, retry_after_ms: null, cost: 4 });
      expect(impossible.what_to_do).toContain('can never fit');
      expect(of('slots').receipt).toMatchObject({ clears_at: null });
    });

    it('tell who is shut out until when', () => {
      const { receipt } = of('blocked');
      expect(receipt).toMatchObject({
        blocked_by: { limit: null, reason: 'blocked' },
        clears_at: inAnHour,
        limits: [],
      });
      expect(receipt.what_to_do).toContain('the block is over');
    });

    it('of what was let in tell what would have refused it, and from when on it will', () => {
      expect(of('warned').receipt).toMatchObject({
        outcome: 'warned',
        allowed: true,
        would_block: ['calls'],
        limits: [{ enforce_from: enforceFrom }],
        what_to_do: expect.stringContaining(
          `From ${enforceFrom.slice(0, 10)} on, calls will refuse this`,
        ),
      });
      expect(of('shadowed').receipt).toMatchObject({ outcome: 'shadowed', allowed: true });
    });

    it('keep any subject as it is, and no attribute', () => {
      const { receipt } = of('unnamed');
      expect(receipt.subject).toBe('a\u0000"\n\\ü😀');
      expect(JSON.stringify(receipt)).not.toContain('ann@example.org');
    });

    describe('are listed', () => {
      const idsOf = async (filter: string) =>
        (await receiptsOf(rig.client, filter)).map((one) => one.decision_id);

      it('by tenant, outcome, limit, subject and time, the newest first', async () => {
        const all = await receiptsOf(rig.client, '');
        const times = all.map(({ at }) => at);
        expect(times).toEqual(times.toSorted().toReversed());
        expect(new Set(all.map((one) => one.decision_id)).size).toBe(all.length);
        const id = tenants['penalty'];
        const ofPenalty = await receiptsOf(rig.client, `tenant_id=${id}`);
        const reasons = ofPenalty.map((one) => one.blocked_by?.reason);
        expect(reasons).toEqual(['penalty', 'exceeded']);
        const { receipt } = of('plan');
        const mine = `tenant_id=${tenants['plan']}`;
        const only = [receipt.decision_id];
        expect(await idsOf(`${mine}&outcome=blocked&limit_name=calls`)).toEqual(only);
        expect(await idsOf(`${mine}&subject_hash=${receipt.subject_hash}`)).toEqual(only);
        expect(await idsOf(`${mine}&from=${receipt.at}`)).toEqual(only);
        expect(await idsOf(`${mine}&to=${receipt.at}`)).toEqual([]);
        expect(await idsOf(`${mine}&outcome=warned`)).toEqual([]);
        expect(await idsOf(`${mine}&limit_name=wide`)).toEqual([]);
        expect(await idsOf(`${mine}&subject_hash=${'x'.repeat(22)}`)).toEqual([]);
        const shadowed = `tenant_id=${tenants['shadowed']}&limit_name=calls`;
        expect(await idsOf(shadowed)).toEqual([of('shadowed').receipt.decision_id]);
      });

      it('in pages that lose and repeat nothing', async () => {
        const all = await idsOf('');
        const paged: string[] = [];
        let path: string | null = 'decisions?limit=3';
        while (path !== null) {
          const page: Body = await rig.client.change('GET', path);
          paged.push(...(page.items as Receipt[]).map((one) => one.decision_id));
          const next = page.next_cursor as string | null;
          path = next === null ? null : `decisions?limit=3&cursor=${next}`;
        }
        expect(paged).toEqual(all);
      });
    });

    it('of a repeated answer are one, and of what was merely allowed none without a sample', async () => {
      const { id, key } = await rig.client.makeTenant({
        limits: [window('calls', 9), window('tight', 1, { mode: 'warn' })],
      });
      const asked = { ...call, idempotency_key: 'one-and-the-same' };
      const first = await rig.client.check(key, call);
      const warned = await rig.client.check(key, asked);
      const again = await rig.client.check(key, asked);
      expect(again.body).toMatchObject({
        replayed: true,
        decision_id: warned.body['decision_id'],
      });
      await untilWritten(rig.client);
      const receipts = await receiptsOf(rig.client, `tenant_id=${id}`);
      expect(receipts.map((one) => one.decision_id)).toEqual([warned.body['decision_id']]);
      expect(receipts[0]).toMatchObject({ repeats: 0 });
      const missing = await rig.client.admin(
        'GET',
        `decisions/${String(first.body['decision_id'])}`,
      );
      expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(missing.body['detail']).toMatch(/counted on it.*list .* tenant_id, subject_hash/);
    });

    it('are as the document of the node says', async () => {
      const { body } = await rig.client.get('/openapi.json');
      expect(documented.problems(body as unknown as OpenApi)).toEqual([]);
    });
  },
  {
    watch: documented.watch,
    settings: { SLUICE_RECEIPT_SAMPLE: '0' },
  },
);
