import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Counts, LimitCounts, UsagePoint } from '../../../platform/src/control/usage/usage.ts';
import type { Answer, MadeTenant, NodeClient } from '../rig/client.ts';
import { onEveryStack, storeKinds } from '../rig/stacks.ts';
import { countsOf } from './rig.ts';

type Report = {
  readonly from: string;
  readonly to: string;
  readonly step: string;
  readonly resource: string | null;
  readonly complete_until: string | null;
  readonly points: readonly UsagePoint[];
  readonly totals: Counts;
  readonly limits: readonly LimitCounts[];
  readonly groups: readonly { readonly name: string; readonly totals: Counts }[];
  readonly summary: string;
};

const none: Counts = { allowed: 0, warned: 0, blocked: 0, degraded: 0, would_block: 0 };
const scopes = ['check', 'usage'];
const hour = { algorithm: 'fixed_window', window_seconds: 3600, per: ['tenant'] };
const hardAndWatched = [
  { ...hour, name: 'hard', limit: 6 },
  { ...hour, name: 'warning', limit: 4, mode: 'warn' },
  { ...hour, name: 'watched', limit: 2, mode: 'shadow' },
];

/** An hour's window that ends now would be another in the middle of a test. */
async function awayFromTheHour(): Promise<void> {
  const leftMs = 3_600_000 - (Date.now() % 3_600_000);
  if (leftMs < 20_000) await sleep(leftMs + 50);
}

onEveryStack(
  'usage over HTTP',
  (rig) => {
    const own = async (key: string, query = ''): Promise<Report> => {
      const { status, body, text } = await rig.client.get(`/v1/usage${query}`, {
        'x-api-key': key,
      });
      expect(status, text).toBe(200);
      return body['usage'];
    };
    const report = async (query: string) =>
      (await rig.client.change('GET', `usage?${query}`)) as unknown as Report;
    const call = (tenant: MadeTenant, more: object = {}) =>
      rig.client.check(tenant.key, { resource: 'GET:/orders', subject: 'ann', ...more });
    const times = async (count: number, work: () => Promise<unknown>) => {
      for (let at = 0; at < count; at += 1) await work();
    };

    it('shows the calls just made: what became of them, and what each limit made of them', async () => {
      await awayFromTheHour();
      const tenant = await rig.client.makeTenant({ limits: hardAndWatched, scopes });
      await times(9, () => call(tenant));
      const usage = await own(tenant.key);
      expect(usage.totals).toEqual({ ...none, allowed: 2, warned: 4, blocked: 3 });
      expect(usage.limits).toEqual([
        { name: 'hard', allowed: 6, blocked: 3, would_block: 0 },
        { name: 'watched', allowed: 6, blocked: 0, would_block: 7 },
        { name: 'warning', allowed: 6, blocked: 0, would_block: 5 },
      ]);
      expect(usage.summary).toMatch(
        /^9 calls since \d\d:\d\d UTC on [-\d]{10}: 2 allowed, 4 allowed with a warning or watched, 3 refused, all by hard\.$/,
      );
      const ofHard = await own(tenant.key, '?limit=hard');
      expect(ofHard.totals).toEqual({ ...none, allowed: 6, blocked: 3 });
      expect((await own(tenant.key, '?limit=watched')).totals).toEqual({
        ...none,
        allowed: 6,
        would_block: 7,
      });
      const { body } = await rig.client.get('/v1/usage', { 'x-api-key': tenant.key });
      const [hard] = body['limits'] as { summary: string }[];
      expect(hard?.summary).toMatch(
        /^hard: 6 of 6 requests used, 0 left, all back by \S+ UTC on \S+\. It let in 6 calls and refused 3 since /,
      );
    });

    it('has every step of the span, and the same sums in each', async () => {
      const tenant = await rig.client.makeTenant({ limits: hardAndWatched, scopes });
      await times(3, () => call(tenant));
      for (const [step, stepMs] of [
        ['minute', 60_000],
        ['hour', 3_600_000],
        ['day', 86_400_000],
      ] as const) {
        const { points, totals, from, to } = await own(tenant.key, `?step=${step}`);
        expect(points).toHaveLength(60);
        const starts = points.map(({ at }) => Date.parse(at));
        expect(starts[0]).toBe(Date.parse(from));
        expect(Date.parse(to)).toBe(Number(starts.at(-1)) + stepMs);
        expect(starts.every((at, n) => at === Date.parse(from) + n * stepMs)).toBe(true);
        expect(totals).toEqual({ ...none, allowed: 2, warned: 1 });
        const sum = points.reduce((all, { allowed, warned }) => all + allowed + warned, 0);
        expect(sum).toBe(3);
      }
    });

    it('counts neither peeks nor replays, and refusals by a block as nobody’s', async () => {
      const tenant = await rig.client.makeTenant({ limits: hardAndWatched, scopes });
      const idempotency_key = 'the-same-call';
      await times(3, () => call(tenant, { idempotency_key }));
      await call(tenant, { cost: 0 });
      await rig.client.change('POST', 'blocks', {
        tenant_id: tenant.id,
        subject: 'eve',
        reason: 'r',
      });
      const bypass = { tenant_id: tenant.id, subject: 'root', action: 'bypass', reason: 'r' };
      await rig.client.change('POST', 'blocks', bypass);
      await times(2, () => call(tenant, { subject: 'eve' }));
      await call(tenant, { subject: 'root' });
      const { totals, limits } = await own(tenant.key);
      expect(totals).toEqual({ ...none, allowed: 2, blocked: 2 });
      expect(limits.find(({ name }) => name === 'hard')).toEqual({
        name: 'hard',
        allowed: 1,
        blocked: 0,
        would_block: 0,
      });
    });

    it('tells resources apart by the policy that they are under', async () => {
      const tenant = await rig.client.makeTenant({
        limits: [{ ...hour, name: 'hard', limit: 6 }],
        scopes,
      });
      const pattern = 'GET:/orders/{id}';
      const limits = [{ ...hour, name: 'orders', limit: 1 }];
      await rig.client.change('POST', 'policies', {
        tenant_id: tenant.id,
        resource: pattern,
        limits,
      });
      await call(tenant, { resource: 'GET:/orders/1' });
      await call(tenant, { resource: 'GET:/orders/2' });
      await call(tenant, { resource: 'GET:/other' });
      const ofOrders = await own(tenant.key, '?resource=GET:/orders/7');
      expect(ofOrders).toMatchObject({
        resource: pattern,
        totals: { ...none, allowed: 1, blocked: 1 },
      });
      expect(ofOrders.limits[0]).toEqual({
        name: 'orders',
        allowed: 1,
        blocked: 1,
        would_block: 0,
      });
      const others = await own(tenant.key, '?resource=GET:/other');
      expect(others).toMatchObject({ resource: '*', totals: { ...none, allowed: 1 } });
      const groups = async (by: string, more = '') =>
        (await report(`tenant_id=${tenant.id}&group_by=${by}${more}`)).groups.map(
          ({ name, totals }) => ({ name, totals }),
        );
      expect(await groups('resource')).toEqual([
        { name: pattern, totals: { ...none, allowed: 1, blocked: 1 } },
        { name: '*', totals: { ...none, allowed: 1 } },
      ]);
      expect((await groups('limit')).map(({ name }) => name).toSorted()).toEqual([
        'hard',
        'orders',
      ]);
      expect(await groups('resource', '&top=1')).toHaveLength(1);
      const filter = `tenant_id=${tenant.id}&resource=${encodeURIComponent(pattern)}`;
      expect((await report(`${filter}&limit_name=orders`)).totals).toEqual({
        ...none,
        allowed: 1,
        blocked: 1,
      });
    });

    it('is one tenant’s alone, but for operators of the platform', async () => {
      const [tenant, other] = [
        await rig.client.makeTenant({ scopes }),
        await rig.client.makeTenant({ scopes }),
      ];
      await times(2, () => call(tenant));
      await call(other);
      expect((await own(other.key)).totals).toEqual({ ...none, allowed: 1 });
      const made = await rig.client.change('POST', 'tokens', {
        name: 'theirs',
        role: 'viewer',
        tenant_id: other.id,
      });
      const asTheirs = { authorization: `Bearer ${made['token']}` };
      const theirs = await rig.client.admin('GET', 'usage?group_by=tenant', undefined, asTheirs);
      const seen = theirs.body as unknown as Report;
      expect(seen.totals).toEqual({ ...none, allowed: 1 });
      expect(seen.groups.map(({ name }) => name)).toEqual([other.id]);
      const foreign = await rig.client.admin(
        'GET',
        `usage?tenant_id=${tenant.id}`,
        undefined,
        asTheirs,
      );
      expect(foreign.status).toBe(404);
      expect((await report(`tenant_id=${tenant.id}`)).totals).toEqual({ ...none, allowed: 2 });
      const all = await report('group_by=tenant&top=50&step=day');
      const sum = (
        await Promise.all(
          [tenant, other].map(({ id }) =>
            countsOf(rig.node.service.foundation.database.db, id, 'day'),
          ),
        )
      ).reduce((total, counts) => total + Number(counts['allowed']), 0);
      expect(sum).toBe(3);
      expect(all.totals.allowed).toBeGreaterThanOrEqual(sum);
      expect(all.groups.map(({ name }) => name)).toContain(tenant.id);
    });

    it('goes with its tenant', async () => {
      const tenant = await rig.client.makeTenant({ scopes });
      await call(tenant);
      await own(tenant.key);
      const { db } = rig.node.service.foundation.database;
      expect(await countsOf(db, tenant.id)).toMatchObject({ allowed: 1 });
      await rig.client.change('DELETE', `tenants/${tenant.id}`);
      expect(await countsOf(db, tenant.id)).toEqual({});
      expect((await rig.client.admin('GET', `usage?tenant_id=${tenant.id}`)).status).toBe(404);
    });

    it('says until when it is complete', async () => {
      const tenant = await rig.client.makeTenant({ scopes });
      await call(tenant);
      const beforeMs = Date.now();
      const { complete_until: first } = await own(tenant.key);
      expect(Date.parse(String(first))).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(String(first))).toBeGreaterThan(beforeMs - 10_000);
      expect(Date.parse(String((await report('')).complete_until))).toBeLessThan(Date.now());
    });

    describe('asked wrongly', () => {
      const wrong = [
        ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z&step=day', 'from'],
        ['step=day&from=2001-01-01T00:00:00Z', 'from'],
        ['from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z', 'from'],
        ['from=yesterday', 'from'],
        ['to=2026-02-30T25:00:00Z', 'to'],
        ['step=week', 'step'],
        ['colour=red', 'colour'],
      ] as const;
      const fieldsOf = ({ body }: Answer): string[] =>
        (body['errors'] as { field: string }[]).map(({ field }) => field);

      it.each(wrong)('%s', async (query, field) => {
        const { key } = await rig.client.makeTenant({ scopes });
        const tenants = await rig.client.get(`/v1/usage?${query}`, { 'x-api-key': key });
        const operators = await rig.client.admin('GET', `usage?${query}`);
        for (const answer of [tenants, operators]) {
          expect(answer.status).toBe(400);
          expect(fieldsOf(answer)).toContain(field);
        }
      });

      it.each([
        ['group_by=colour', 400],
        ['top=3', 400],
        ['group_by=limit&top=51', 400],
        ['group_by=limit&top=0', 400],
        ['limit=m', 400],
        ['tenant_id=nobody', 404],
        ['tenant_id=00000000-0000-4000-8000-000000000000', 404],
        [`limit_name=${'x'.repeat(65)}`, 400],
      ])('by an operator: %s', async (query, status) => {
        expect((await rig.client.admin('GET', `usage?${query}`)).status).toBe(status);
      });
    });
  },
  { kinds: storeKinds },
);

onEveryStack(
  'usage where evidence is off',
  (rig) => {
    it('is not counted, and limits are kept all the same', async () => {
      await awayFromTheHour();
      const { client }: { client: NodeClient } = rig;
      const tenant = await client.makeTenant({
        limits: [{ ...hour, name: 'm', limit: 1 }],
        scopes,
      });
      const check = { resource: 'x', subject: 'ann' };
      const statuses = [];
      for (let at = 0; at < 3; at += 1)
        statuses.push((await client.check(tenant.key, check)).status);
      const many = await client.checks(tenant.key, [check, check]);
      expect(many.status).toBe(200);
      expect(statuses).toEqual([200, 429, 429]);
      const { body } = await client.get('/v1/usage', { 'x-api-key': tenant.key });
      expect(body['usage']).toMatchObject({ totals: none, limits: [] });
      const { engine } = rig.node.service.foundation.store;
      expect(await engine.hasLedger({ id: tenant.id }, 1)).toBe(false);
    });
  },
  { kinds: ['embedded, memory', 'PostgreSQL, Redis'], settings: { SLUICE_EVIDENCE: 'off' } },
);
