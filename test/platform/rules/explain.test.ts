import { expect, it } from 'vitest';
import { onEveryStack } from '../rig/stacks.ts';
import { window } from './window.ts';

type Limit = { readonly name: string } & Readonly<Record<string, unknown>>;

onEveryStack(
  'an explanation',
  (rig) => {
    const explain = async (tenantId: string, more: object = {}) => {
      const question = { tenant_id: tenantId, resource: 'GET:/orders/7', subject: 'me', ...more };
      return (await rig.client.change('POST', 'policies/explain', question)) as unknown as {
        readonly limits: readonly Limit[];
        readonly block: unknown;
        readonly allowed_without_limits: boolean;
        readonly plan: unknown;
      };
    };
    const limitIn = ({ limits }: { readonly limits: readonly Limit[] }, name: string) =>
      limits.find((one) => one.name === name);

    it('names plan, policies, overrides, modes, numbers and cost, each with its reason', async () => {
      const { id, planId } = await rig.client.makeTenant({
        limits: [
          window('calls', 100, { per: ['tenant'] }),
          {
            ...window('mine', 0),
            limit: undefined,
            share_of: { limit: 'calls', ratio: 0.1 },
          },
          window('searches', 5, { resources: ['POST:/search'] }),
          window('beta', 5, { when: { 'attributes.feature': ['beta'] } }),
        ],
      });
      const wide = await rig.client.change('POST', 'policies', {
        tenant_id: id,
        resource: 'GET:/*',
        cost: 3,
        mode: 'warn',
        limits: [window('reads', 50)],
      });
      const close = await rig.client.change('POST', 'policies', {
        tenant_id: id,
        resource: 'GET:/orders/{id}',
        costs: { units: 7 },
        limits: [window('reads', 20), window('orders', 9, { mode: 'enforce' })],
      });
      const override = await rig.client.change('POST', 'overrides', {
        tenant_id: id,
        limit: 'calls',
        numbers: { limit: 500 },
        subject: 'me',
        reason: 'a big customer',
      });
      await rig.client.change('PUT', 'modes', {
        scope: 'limit',
        tenant_id: id,
        limit: 'mine',
        mode: 'shadow',
      });
      const explained = await explain(id);
      expect(explained).toMatchObject({
        plan: { id: planId, because: 'the tenant is on it' },
        resource: { asked: 'GET:/orders/7', counted: 'GET:/orders/{id}' },
        policies: [{ id: close['id'] }, { id: wide['id'] }],
        cost: 3,
        costs: { units: 7 },
        cost_because: 'the policy for GET:/* says so',
        block: null,
      });
      expect(limitIn(explained, 'calls')).toMatchObject({
        applies: true,
        limit: 500,
        numbers: { limit: 500 },
        base_numbers: { limit: 100 },
        override: { id: override['id'], of: 'calls' },
        mode: 'enforce',
        mode_because: 'nothing says otherwise',
        defined_by: { kind: 'plan', id: planId },
      });
      expect(limitIn(explained, 'mine')).toMatchObject({
        limit: 50,
        override: { id: override['id'], of: 'calls' },
        mode: 'shadow',
        mode_because: 'an entry for the limit says so',
      });
      expect(limitIn(explained, 'searches')).toMatchObject({
        applies: false,
        because: 'it is for POST:/search',
      });
      expect(limitIn(explained, 'beta')).toMatchObject({
        applies: false,
        because: 'it is for calls with attributes.feature',
      });
      const reads = explained.limits.filter(({ name }) => name === 'reads');
      expect(reads).toMatchObject([
        { applies: true, limit: 20, mode: 'warn', mode_because: 'its policy says so' },
        { applies: false, because: 'a more specific policy has a limit of this name' },
      ]);
      expect(limitIn(explained, 'orders')).toMatchObject({
        mode: 'enforce',
        mode_because: 'the limit says so',
      });
      const forOther = await explain(id, { subject: 'you', attributes: { feature: 'beta' } });
      expect(limitIn(forOther, 'calls')).toMatchObject({ limit: 100, override: null });
      expect(limitIn(forOther, 'beta')).toMatchObject({ applies: true });
    });

    it('says of a concurrency limit which doors leave it out, and of no other', async () => {
      const open = { algorithm: 'concurrency', max_concurrent: 1, stale_after_seconds: 60 };
      const { id } = await rig.client.makeTenant({
        limits: [{ name: 'open', ...open }, window('calls', 2)],
      });
      const explained = await explain(id);
      expect(limitIn(explained, 'open')).toMatchObject({
        applies: true,
        skipped_by: ['envoy.rls', '/json'],
      });
      expect(limitIn(explained, 'calls')).not.toHaveProperty('skipped_by');
    });

    it('says what nobody limits, and who is shut out', async () => {
      const { id } = await rig.client.makeTenant({ limits: [] });
      expect(await explain(id)).toMatchObject({ allowed_without_limits: true, plan: null });
      const made = await rig.client.change('POST', 'blocks', {
        tenant_id: id,
        subject: 'me',
        reason: 'a test',
      });
      expect((await explain(id)).block).toMatchObject({ id: made['id'], action: 'block' });
    });

    it('charges nothing, and is the same as what a check then shows', async () => {
      const { id, key } = await rig.client.makeTenant({ limits: [window('calls', 2)] });
      for (let turn = 0; turn < 5; turn += 1) await explain(id);
      const { body } = await rig.client.check(key, { resource: 'GET:/orders/7', subject: 'me' });
      expect(body).toMatchObject({ limit: 2, remaining: 1 });
    });

    it.each([
      [{ tenant_id: 'none' }, 404],
      [{ resource: '' }, 400],
      [{ plan_id: '00000000-0000-0000-0000-000000000000' }, 404],
      [{ unknown: 1 }, 400],
    ])('of %j is %d', async (fields, status) => {
      const { id } = await rig.client.makeTenant();
      const question = { tenant_id: id, resource: 'x', subject: 'me', ...fields };
      expect((await rig.client.admin('POST', 'policies/explain', question)).status).toBe(status);
    });
  },
  { kinds: ['embedded, memory', 'PostgreSQL, Redis'] },
);
