import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { onEveryStack, storeKinds } from '../rig/stacks.ts';
import { window } from './window.ts';

const refusedBy = (body: { readonly blocked_by: unknown }) =>
  (body.blocked_by as { limit: string; level: string } | null) ?? null;

onEveryStack(
  'tiers in one decision',
  (rig) => {
    /** A policy for all, taken away again: the other tests are under it too. */
    const withShared = async (policy: object, test: () => Promise<void>) => {
      const { id } = await rig.client.change('POST', 'policies', policy);
      await rig.client.published();
      try {
        await test();
      } finally {
        await rig.client.change('DELETE', `policies/${id}`);
        await rig.client.published();
      }
    };
    const used = (body: { readonly limits: unknown }) =>
      Object.fromEntries(
        (body.limits as { name: string; used: number }[]).map(({ name, used: count }) => [
          name,
          count,
        ]),
      );

    describe('global, tenant, endpoint, user and attribute', () => {
      it('are all charged or none, and who refused is named with its level', async () => {
        const resource = `GET:/tiers/${randomUUID()}`;
        const limits = [
          window('tenant', 5, { per: ['tenant'] }),
          window('endpoint', 4, { per: ['tenant', 'resource'] }),
          window('user', 3, { per: ['tenant', 'subject'] }),
          window('team', 2, { per: ['tenant', 'attributes.team'], on_missing: 'skip' }),
        ];
        const policy = { resource, limits: [window('global', 6, { per: ['global'] })] };
        await withShared(policy, async () => {
          const first = await rig.client.makeTenant({ limits });
          const second = await rig.client.makeTenant({ limits });
          const ask = async (key: string, subject: string, attributes = {}) =>
            (await rig.client.check(key, { resource, subject, attributes })).body;
          const eng = { team: 'eng' };
          await ask(first.key, 'ann', eng);
          await ask(first.key, 'ann', eng);
          const attribute = await ask(first.key, 'ann', eng);
          expect(refusedBy(attribute)).toMatchObject({ limit: 'team', level: 'attribute' });
          expect(used(attribute)).toEqual({ tenant: 2, endpoint: 2, user: 2, team: 2, global: 2 });
          await ask(first.key, 'ann');
          const user = await ask(first.key, 'ann');
          expect(refusedBy(user)).toMatchObject({ limit: 'user', level: 'user', entity: 'ann' });
          await ask(first.key, 'bob');
          const endpoint = await ask(first.key, 'cleo');
          expect(refusedBy(endpoint)).toMatchObject({ limit: 'endpoint', level: 'endpoint' });
          const elsewhere = { resource: `${resource}/x`, subject: 'dora' };
          expect((await rig.client.check(first.key, elsewhere)).status).toBe(200);
          const tenant = (await rig.client.check(first.key, { ...elsewhere, subject: 'eve' })).body;
          expect(refusedBy(tenant)).toMatchObject({ limit: 'tenant', level: 'tenant' });
          // Four so far count globally; another tenant has two left, and no more.
          expect((await ask(second.key, 'ann')).allowed).toBe(true);
          expect((await ask(second.key, 'bob')).allowed).toBe(true);
          const global = await ask(second.key, 'cleo');
          expect(refusedBy(global)).toMatchObject({ limit: 'global', level: 'global' });
          expect(used(global)).toEqual({ tenant: 2, endpoint: 2, user: 0, global: 6 });
        });
      });

      it('of a global limit that a tenant limit refuses is given back', async () => {
        const resource = `GET:/back/${randomUUID()}`;
        const policy = { resource, limits: [window('global', 3, { per: ['global'] })] };
        await withShared(policy, async () => {
          const small = await rig.client.makeTenant({ limits: [window('one', 1)] });
          const large = await rig.client.makeTenant();
          const ask = (key: string) => rig.client.check(key, { resource, subject: 'me' });
          expect((await ask(small.key)).status).toBe(200);
          for (let again = 0; again < 5; again += 1) {
            expect(refusedBy((await ask(small.key)).body)).toMatchObject({ limit: 'one' });
          }
          const answers = [await ask(large.key), await ask(large.key), await ask(large.key)];
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
        });
      });

      it('of many at once admit exactly what the strictest allows', async () => {
        const resource = `GET:/many/${randomUUID()}`;
        const policy = { resource, limits: [window('global', 40, { per: ['global'] })] };
        await withShared(policy, async () => {
          const tenants = await Promise.all(
            Array.from({ length: 4 }, () => rig.client.makeTenant({ limits: [window('own', 15)] })),
          );
          const answers = await Promise.all(
            tenants.flatMap(({ key }) =>
              Array.from({ length: 30 }, () => rig.client.check(key, { resource, subject: 'me' })),
            ),
          );
          const admitted = answers.filter(({ status }) => status === 200).length;
          expect(admitted).toBeLessThanOrEqual(40);
          // In a cluster what is taken and given back may refuse another meanwhile.
          expect(admitted).toBeGreaterThanOrEqual(rig.kind.endsWith('Cluster') ? 26 : 40);
        });
      });
    });

    it('match policies by method, parameters and wildcards, the most specific first', async () => {
      const { id, key } = await rig.client.makeTenant({ limits: [] });
      const policies = [
        ['*:/*', 1],
        ['GET:/*', 2],
        ['GET:/orders/*', 3],
        ['GET:/orders/{id}', 4],
        ['GET:/orders/special', 5],
        ['GET:/orders/{id}/items', 6],
      ] as const;
      for (const [resource, cost] of policies) {
        await rig.client.change('POST', 'policies', { tenant_id: id, resource, cost });
      }
      const costOf = async (resource: string) =>
        (await rig.client.check(key, { resource, subject: 'me' })).body.cost;
      expect(await costOf('POST:/x')).toBe(1);
      expect(await costOf('GET:/x')).toBe(2);
      expect(await costOf('GET:/orders/1/2/3')).toBe(3);
      expect(await costOf('GET:/orders/1')).toBe(4);
      expect(await costOf('GET:/orders/special')).toBe(5);
      expect(await costOf('GET:/orders/1/items')).toBe(6);
      expect(await costOf('plain')).toBe(1);
    });

    it('as a share of another give a user its part of the tenant, at least one', async () => {
      const share = (ratio: number) => ({
        name: 'user',
        algorithm: 'fixed_window',
        window_seconds: 864_000,
        per: ['tenant', 'subject'],
        share_of: { limit: 'all', ratio },
      });
      const of = async (limit: number, ratio: number) => {
        const limits = [window('all', limit, { per: ['tenant'] }), share(ratio)];
        const { key } = await rig.client.makeTenant({ limits });
        const { body } = await rig.client.check(key, { resource: 'x', subject: 'me' });
        return (body.limits as { limit: number }[])[1]?.limit;
      };
      expect(await of(60, 0.1)).toBe(6);
      expect(await of(5, 0.1)).toBe(1);
      expect(await of(70, 0.333333)).toBe(23);
    });

    it('under a condition apply to calls that meet it', async () => {
      const when = { 'attributes.feature': ['beta-search'] };
      const limits = [window('all', 100), window('beta', 1, { when })];
      const { key } = await rig.client.makeTenant({ limits });
      const ask = (attributes?: object) =>
        rig.client.check(key, { resource: 'x', subject: 'me', ...(attributes && { attributes }) });
      expect((await ask({ feature: 'beta-search' })).status).toBe(200);
      expect(refusedBy((await ask({ feature: 'beta-search' })).body)).toMatchObject({
        limit: 'beta',
      });
      expect((await ask({ feature: 'other' })).status).toBe(200);
      expect((await ask()).status).toBe(200);
    });

    it('count several units of one call, each against its own limit', async () => {
      const limits = [
        window('calls', 10),
        window('elements', 120, { unit: 'elements', per: ['tenant'] }),
      ];
      const { key } = await rig.client.makeTenant({ limits });
      const matrix = { resource: 'POST:/matrix', subject: 'me', costs: { elements: 10 * 5 } };
      const { body } = await rig.client.check(key, matrix);
      expect(body).toMatchObject({ allowed: true, cost: 1, costs: { elements: 50 } });
      expect(used(body)).toEqual({ calls: 1, elements: 50 });
      await rig.client.check(key, matrix);
      const third = await rig.client.check(key, matrix);
      expect(third.status).toBe(429);
      expect(refusedBy(third.body)).toMatchObject({ limit: 'elements' });
      expect(used(third.body)).toEqual({ calls: 2, elements: 100 });
    });

    it('advise a delay near the end, by a straight line, and never wait themselves', async () => {
      const backpressure = { from: 0.8, max_delay_ms: 2000, curve: 'linear' };
      const { key } = await rig.client.makeTenant({ limits: [window('w', 10, { backpressure })] });
      const delays: unknown[] = [];
      for (let call = 0; call < 11; call += 1) {
        const { body } = await rig.client.check(key, { resource: 'x', subject: 'me' });
        delays.push((body as unknown as { delay_ms: number }).delay_ms);
      }
      expect(delays).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1000, 2000, 0]);
    });
  },
  { kinds: storeKinds },
);
