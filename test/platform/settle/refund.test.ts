import { expect, it } from 'vitest';
import { onEveryStack, storeKinds } from '../rig/stacks.ts';
import { onFollowUps } from './rig.ts';

onEveryStack(
  'a refund',
  (rig) => {
    const { make, reserve, used } = onFollowUps(rig);
    const call = { resource: 'r', subject: 's' };
    const charge = async (key: string, tokens = 20) => {
      const { body } = await rig.client.check(key, { ...call, cost: 3, costs: { tokens } });
      return String(body['decision_id']);
    };
    const refund = (key: string, id: string, costs: object = {}) =>
      rig.client.follow(key, 'refund', { decision_id: id, ...costs });

    it('gives back what is asked for, once', async () => {
      const { key } = await make();
      const id = await charge(key);
      const given = await refund(key, id, { cost: 1, costs: { tokens: 15 } });
      expect(given.status).toBe(200);
      expect(given.body).toEqual({ refunded: true, cost: 1, costs: { tokens: 15 } });
      expect(await used(key)).toEqual({ requests: 2, tokens: 5 });
      const again = await refund(key, id);
      expect([again.status, again.body]).toEqual([200, { refunded: false, cost: 0, costs: {} }]);
      expect(await used(key)).toEqual({ requests: 2, tokens: 5 });
    });

    it('gives back all of it when nothing is said, and never more than was charged', async () => {
      const { key } = await make();
      await charge(key);
      expect((await refund(key, await charge(key))).body).toEqual({
        refunded: true,
        cost: 3,
        costs: { tokens: 20 },
      });
      const more = await refund(key, await charge(key), { cost: 1000, costs: { tokens: 1000 } });
      expect(more.body).toEqual({ refunded: true, cost: 3, costs: { tokens: 20 } });
      expect(await used(key)).toEqual({ requests: 3, tokens: 20 });
    });

    it('applies once, however many ask at the same time', async () => {
      const { key } = await make();
      await charge(key);
      const id = await charge(key);
      const answers = await Promise.all(Array.from({ length: 20 }, () => refund(key, id)));
      expect(answers.filter(({ body }) => body['refunded'])).toHaveLength(1);
      expect(await used(key)).toEqual({ requests: 3, tokens: 20 });
    });

    it('of a repeated check is a refund of the first', async () => {
      const { key } = await make();
      const asked = { ...call, costs: { tokens: 7 }, idempotency_key: 'an-order-of-ann' };
      const first = await rig.client.check(key, asked);
      const again = await rig.client.check(key, asked);
      expect(again.body['decision_id']).toBe(first.body['decision_id']);
      expect((await refund(key, first.body['decision_id'])).body).toMatchObject({ refunded: true });
      expect((await refund(key, again.body['decision_id'])).body).toMatchObject({
        refunded: false,
      });
      expect(await used(key)).toEqual({ requests: 0, tokens: 0 });
    });

    it('of each of many checks in one call', async () => {
      const { key } = await make();
      const checks = Array.from({ length: 5 }, () => ({ ...call, costs: { tokens: 4 } }));
      const { body } = await rig.client.checks(key, checks);
      const ids = (body as unknown as { decision_id: string }[]).map((one) => one.decision_id);
      expect((await refund(key, ids[2] as string)).body).toMatchObject({ refunded: true });
      expect((await refund(key, ids[4] as string)).body).toMatchObject({ refunded: true });
      expect(await used(key)).toEqual({ requests: 3, tokens: 12 });
    });

    it('is for decisions that charged: the rest are unknown, as are those of others', async () => {
      const [mine, theirs] = [await make(), await make()];
      const refused = await charge(mine.key, 101);
      const id = await charge(mine.key);
      expect((await refund(theirs.key, id)).status).toBe(404);
      const never = await refund(mine.key, 'made-up');
      expect([never.status, never.body['code']]).toEqual([404, 'unknown_decision']);
      expect((await refund(mine.key, refused)).status).toBe(404);
      const reservation = await reserve(mine.key, 5);
      const settled = await refund(mine.key, reservation);
      expect(settled.status).toBe(404);
      expect(settled.body['detail']).toContain('settle it instead');
      expect(await used(mine.key)).toEqual({ requests: 4, tokens: 25 });
    });

    it('needs a key that may refund, which may be made any time before the check', async () => {
      const { client } = rig;
      const tenant = await client.makeTenant({ scopes: ['check', 'settle'] });
      const before = await client.check(tenant.key, call);
      const denied = await refund(tenant.key, before.body['decision_id']);
      expect([denied.status, denied.body['code']]).toEqual([403, 'scope_missing']);
      const more = { tenant_id: tenant.id, name: 'back office', scopes: ['refund'] };
      const { key } = await client.change('POST', 'keys', more);
      expect((await refund(key, before.body['decision_id'])).status).toBe(404);
      const after = await client.check(tenant.key, call);
      expect((await refund(key, after.body['decision_id'])).body).toMatchObject({ refunded: true });
    });

    it('reaches global limits too, and not the slots of open calls', async () => {
      const { client } = rig;
      const tenant = await make([
        { name: 'slots', algorithm: 'concurrency', max_concurrent: 5, stale_after_seconds: 60 },
        { name: 'requests', algorithm: 'fixed_window', limit: 50, window_seconds: 3600 },
      ]);
      const resource = `global-${tenant.id}`;
      const all = { name: 'all', algorithm: 'fixed_window', limit: 9, window_seconds: 3600 };
      const limits = [{ ...all, per: ['global', 'resource'] }];
      await client.change('POST', 'policies', { tenant_id: null, resource, limits });
      await client.published();
      const asked = { ...call, resource };
      const { body } = await client.check(tenant.key, { ...asked, cost: 4 });
      expect((await refund(tenant.key, body['decision_id'], { cost: 3 })).body).toMatchObject({
        refunded: true,
        cost: 3,
      });
      const look = await client.check(tenant.key, { ...asked, cost: 0 });
      const shown = look.body['limits'] as { name: string; used: number }[];
      expect(Object.fromEntries(shown.map(({ name, used: count }) => [name, count]))).toEqual({
        slots: 1,
        requests: 1,
        all: 1,
      });
    });

    it.each([
      [{}, 'decision_id'],
      [{ decision_id: 'd', cost: 0 }, 'cost'],
      [{ decision_id: 'd', cost: -3 }, 'cost'],
      [{ decision_id: 'd', costs: { requests: 1 } }, 'costs.requests'],
      [{ decision_id: 'd', all: true }, 'all'],
    ])('%j is refused by name', async (body, field) => {
      const { key } = await make();
      const answer = await rig.client.follow(key, 'refund', body);
      expect(answer.status).toBe(400);
      expect((answer.body['errors'] as { field: string }[])[0]?.field).toBe(field);
    });
  },
  { kinds: storeKinds },
);
